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

from collections.abc import Iterator

from gpuobs.checks._rules import expression, reads_now
from gpuobs.diagnostics import Diagnostic, Related, error
from gpuobs.ir import Program, RecordingRule, RuleGroup
from gpuobs.lower.groups import reads
from gpuobs.spec.document import place

CODE = "rule/order"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for file in program.rule_files:
        for group in file.groups:
            yield from _late(program, group)


def _late(program: Program, group: RuleGroup) -> Iterator[Diagnostic]:
    """Reads of records of which no rule stands above."""
    recording = [rule for rule in group.rules if isinstance(rule, RecordingRule)]
    below = {rule.record: rule for rule in reversed(recording)}
    for rule in group.rules:
        record = rule.record if isinstance(rule, RecordingRule) else ""
        written = expression(program, rule)
        for selector in reads_now(written[1]) if written is not None else ():
            name = selector.name
            if name not in below or name == record or _reaches(recording, name, record):
                continue
            assert written is not None
            message = f"'{name}' is recorded below this rule, which reads it one evaluation late"
            related = (Related(below[name].place("record"), "recorded here"),)
            span = place(written[0], selector.name_start, selector.name_end)
            yield error(span, CODE, message, "move this rule below it", related)
        below.pop(record, None)


def _reaches(rules: list[RecordingRule], start: str, goal: str) -> bool:
    """Whether a record is recorded from another, so that no order of the two would be right."""
    seen, pending = {start}, [start]
    while pending:
        name = pending.pop()
        found = {read for rule in rules if rule.record == name for read in reads(rule.expr)}
        pending += found - seen
        seen |= found
    return goal in seen
