"""A recording rule that reads a record of another group.

Groups are evaluated by themselves, each at its own moment. What stands in another group is read as it was up to one interval
ago, and with every further group the result is later still; promtool gives one verdict or another as the groups happen to
run. Alerts are left alone, for their `for` is longer than that, and so is what the compiler itself records.

Bad:

```yaml
groups:
  - name: nodes
    rules:
      - {record: "node:gpu_util:max", expr: max by (Hostname) (DCGM_FI_DEV_GPU_UTIL)}
  - name: fleet
    rules:
      - {record: "fleet:gpu_util:max", expr: "max(node:gpu_util:max)"}
```

Good:

```yaml
groups:
  - name: utilization
    rules:
      - {record: "node:gpu_util:max", expr: max by (Hostname) (DCGM_FI_DEV_GPU_UTIL)}
      - {record: "fleet:gpu_util:max", expr: "max(node:gpu_util:max)"}
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from gpuobs.checks._rules import may_select, reads_now, side_by_side
from gpuobs.diagnostics import Diagnostic, Related
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program, RecordingRule
from gpuobs.promql import Selector

CODE = "rule/cross-group"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    compared = {id(group) for group in side_by_side(program)}
    recording = [
        expression
        for expression in expressions(program)
        if isinstance(expression.rule, RecordingRule) and id(expression.group) in compared
    ]
    writers: dict[str, dict[str, list[Expression]]] = {}
    for expression in recording:
        chains = writers.setdefault(_record(expression), {})
        chains.setdefault(_chain(expression), []).append(expression)
    seen: set[tuple[str, str]] = set()
    for expression in recording:
        for selector in reads_now(expression.parsed.tree):
            own, named = _chain(expression), writers.get(selector.name, {})
            if _first(selector, named.get(own, ())) is not None:
                continue
            found = _first(selector, chain.from_iterable(named.values()))
            # A chain that reads several records of another is told so once.
            if found is not None and (own, _chain(found)) not in seen:
                seen.add((own, _chain(found)))
                yield _finding(expression, selector, found)


def _first(selector: Selector, writers: Iterable[Expression]) -> Expression | None:
    return next((writer for writer in writers if may_select(selector, writer.rule)), None)


def _finding(expression: Expression, selector: Selector, writer: Expression) -> Diagnostic:
    name, group = selector.name, writer.group.name
    message = f"'{name}' is recorded in group '{group}' and read up to one interval late"
    related = (Related(writer.rule.place("record"), "recorded here"),)
    kind = "group" if expression.program.foreign else "Rollups document"
    hint = f"put both rules into one {kind}, '{name}' first"
    at = selector.name_start, selector.name_end
    return expression.warning(at, CODE, message, hint, related)


def _record(expression: Expression) -> str:
    assert isinstance(expression.rule, RecordingRule)
    return expression.rule.record


def _chain(expression: Expression) -> str:
    """The group; in the specs the document, whose groups are cut where the store's limit wants it."""
    return expression.group.name if expression.program.foreign else expression.file.name
