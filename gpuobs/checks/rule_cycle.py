"""Rules that read each other in a circle.

Each evaluation would build on the one before it: the values drift for ever, and no order of the rules
is right. Of circles that share a rule one is reported. In rule files of others a rule that reads itself alone may be meant to
hold a value.

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

from collections import deque
from collections.abc import Iterator, Mapping

from gpuobs.checks._rules import knotted
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
    if program.foreign:
        read = {
            record: [name for name in found if name != record] for record, found in read.items()
        }
    knots, seen = knotted(read), set[str]()
    for record in sorted(rules):
        circle = _circle(record, read, knots) if knots[record] not in seen else ()
        if circle:
            seen.add(knots[record])
            message = f"'{record}' reads itself: {' reads '.join((*circle, record))}"
            hint = "record one of them from something else"
            yield error(rules[record].origin.span, CODE, message, hint)


def _circle(start: str, read: Mapping[str, list[str]], knots: Mapping[str, str]) -> tuple[str, ...]:
    """The records on the shortest way from one back to itself; nothing where there is none."""
    readers: dict[str, str] = {}
    pending = deque([start])
    while pending:
        reader = pending.popleft()
        for name in read[reader]:
            if name == start:
                return _way(reader, readers)
            if name not in readers and knots[name] == knots[start]:
                readers[name] = reader
                pending.append(name)
    return ()


def _way(last: str, readers: Mapping[str, str]) -> tuple[str, ...]:
    """The records from which the last one was reached, the first one first."""
    way = [last]
    while way[-1] in readers:
        way.append(readers[way[-1]])
    return tuple(reversed(way))
