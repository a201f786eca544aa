"""Rules that read each other in a circle.

Each evaluation would build on the one before it: the values drift for ever, and no order of the rules
is right. In rule files of others a rule that reads itself alone may be meant to hold a value.

Bad:

```yaml
rules:
  - {record: cluster:gpus:hot, expr: cluster:gpus:warm * 2, unit: gpus}
  - {record: cluster:gpus:warm, expr: cluster:gpus:hot / 2, unit: gpus}
```

Good:

```yaml
rules:
  - {record: cluster:gpus:warm, expr: count by (cluster) (gpu:temperature:max5m > 50), unit: gpus}
  - {record: cluster:gpus:hot, expr: cluster:gpus:warm / 2, unit: gpus}
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import Program, RecordingRule
from gpuobs.lower.groups import reads

CODE = "rule/cycle"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    rules = {rule.record: rule for rule in program.rules if isinstance(rule, RecordingRule)}
    read = {
        record: [name for name in reads(rule.expr, program.version) if name in rules]
        for record, rule in rules.items()
    }
    seen: set[str] = set()
    for record in sorted(rules):
        circle = _circle(record, read) if record not in seen else ()
        if circle and not (program.foreign and len(circle) == 1):
            seen.update(circle)
            message = f"'{record}' reads itself: {' reads '.join((*circle, record))}"
            hint = "record one of them from something else"
            yield error(rules[record].origin.span, CODE, message, hint)


def _circle(start: str, read: Mapping[str, list[str]]) -> tuple[str, ...]:
    """The records on the shortest way from one back to itself; nothing where there is none."""
    ways: list[tuple[str, ...]] = [(start,)]
    seen: set[str] = set()
    while ways:
        way = ways.pop(0)
        for name in read[way[-1]]:
            if name == start:
                return way
            if name not in seen:
                seen.add(name)
                ways.append((*way, name))
    return ()
