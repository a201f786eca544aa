"""A rule that reads what its group evaluates after it.

The rules of a group are evaluated one after the other, at one time. A rule that stands above what it reads gets the value of
the evaluation before, and after a restart none at all. A range, an offset, or a rule that reads itself may mean just that, so
these are left alone.

Bad:

```yaml
rules:
  - {record: cluster:gpus:hot_share, expr: cluster:gpus:hot / cluster:gpus:seen, unit: ratio}
  - {record: cluster:gpus:hot, expr: count by (cluster) (gpu:temperature:max5m > 80), unit: gpus}
  - {record: cluster:gpus:seen, expr: count by (cluster) (gpu:temperature:max5m), unit: gpus}
```

Good:

```yaml
rules:
  - {record: cluster:gpus:hot, expr: count by (cluster) (gpu:temperature:max5m > 80), unit: gpus}
  - {record: cluster:gpus:seen, expr: count by (cluster) (gpu:temperature:max5m), unit: gpus}
  - {record: cluster:gpus:hot_share, expr: cluster:gpus:hot / cluster:gpus:seen, unit: ratio}
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuobs.checks._rules import knotted, reads_now
from gpuobs.diagnostics import Diagnostic, Related
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program, RecordingRule, RuleGroup
from gpuobs.lower.groups import reads

CODE = "rule/order"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    written = {id(expression.rule): expression for expression in expressions(program)}
    for file in program.rule_files:
        for group in file.groups:
            yield from _late(group, written, program.version)


def _late(
    group: RuleGroup, written: Mapping[int, Expression], version: tuple[int, int]
) -> Iterator[Diagnostic]:
    """Reads of records of which no rule stands above."""
    recording = [rule for rule in group.rules if isinstance(rule, RecordingRule)]
    below = {rule.record: rule for rule in reversed(recording)}
    knots = _knots(recording, version)
    for rule in group.rules:
        record = rule.record if isinstance(rule, RecordingRule) else ""
        expression = written.get(id(rule))
        for selector in reads_now(expression.parsed.tree) if expression else ():
            name = selector.name
            if name not in below or (record and knots[name] == knots[record]):
                continue
            assert expression is not None
            message = f"'{name}' is recorded below this rule, which reads it one evaluation late"
            related = (Related(below[name].place("record"), "recorded here"),)
            at, hint = (selector.name_start, selector.name_end), "move this rule below it"
            yield expression.error(at, CODE, message, hint, related)
        below.pop(record, None)


def _knots(rules: list[RecordingRule], version: tuple[int, int]) -> Mapping[str, str]:
    """Records that are recorded from each other, so that no order of them would be right."""
    read: dict[str, list[str]] = {rule.record: [] for rule in rules}
    for rule in rules:
        read[rule.record] += (name for name in reads(rule.expr, version) if name in read)
    return knotted(read)
