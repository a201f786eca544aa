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

from collections.abc import Iterator, Mapping

from gpuobs.checks._rules import expression, reads_now, side_by_side
from gpuobs.diagnostics import Diagnostic, Related, warning
from gpuobs.ir import Program, RecordingRule, RuleGroup
from gpuobs.spec.document import place

CODE = "rule/cross-group"
SEVERITY = "warning"

_Writers = Mapping[str, tuple[RuleGroup, RecordingRule]]


def check(program: Program) -> Iterator[Diagnostic]:
    groups = list(side_by_side(program))
    writers: dict[str, tuple[RuleGroup, RecordingRule]] = {}
    for group in groups:
        for rule in group.rules:
            if isinstance(rule, RecordingRule) and rule.part("expr") is not None:
                writers.setdefault(rule.record, (group, rule))
    for group in groups:
        yield from _across(program, group, writers)


def _across(program: Program, group: RuleGroup, writers: _Writers) -> Iterator[Diagnostic]:
    """What a group reads of others, one finding for each of them."""
    own = {rule.record for rule in group.rules if isinstance(rule, RecordingRule)}
    seen = {_document(program, group)}
    for rule in group.rules:
        written = expression(program, rule) if isinstance(rule, RecordingRule) else None
        for selector in reads_now(written[1]) if written is not None else ():
            if selector.name in own or selector.name not in writers:
                continue
            other, writer = writers[selector.name]
            if _document(program, other) in seen:
                continue
            seen.add(_document(program, other))
            message = f"'{selector.name}' is recorded in group '{other.name}' and read up to one interval late"
            related = (Related(writer.place("record"), "recorded here"),)
            assert written is not None
            span = place(written[0], selector.name_start, selector.name_end)
            kind = "group" if program.foreign else "Rollups document"
            hint = f"put both rules into one {kind}, '{selector.name}' first"
            yield warning(span, CODE, message, hint, related)


def _document(program: Program, group: RuleGroup) -> str:
    """What a group belongs to: the groups of one spec document are cut where the store's limit wants it."""
    return group.name if program.foreign else group.rules[0].origin.name
