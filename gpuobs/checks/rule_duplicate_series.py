"""Two rules that write the same series.

Prometheus keeps whichever rule is evaluated last, or fails the evaluation of one of them. In rule files of others one name may
be recorded piece by piece, so there only rules are reported that have one expression, or one series without labels.

Bad:

```yaml
rules:
  - {record: cluster:gpus:seen, expr: count by (cluster) (gpu:temperature:max5m), unit: gpus}
  - {record: cluster:gpus:seen, expr: count by (cluster) (gpu:temperature:max5m > 0), unit: gpus}
```

Good:

```yaml
rules:
  - {record: cluster:gpus:seen, expr: count by (cluster) (gpu:temperature:max5m), unit: gpus}
  - {record: cluster:gpus:warm, expr: count by (cluster) (gpu:temperature:max5m > 50), unit: gpus}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._rules import side_by_side, words
from gpuobs.diagnostics import Diagnostic, Related, error
from gpuobs.expressions import result
from gpuobs.ir import Program, RecordingRule

CODE = "rule/duplicate-series"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    first: dict[object, RecordingRule] = {}
    for group in side_by_side(program):
        for rule in group.rules:
            if not isinstance(rule, RecordingRule):
                continue
            identity = rule.record, frozenset(rule.labels.items()), _pieces(program, rule)
            earlier = first.setdefault(identity, rule)
            if earlier is not rule:
                message = f"'{rule.record}' is recorded twice with the same labels"
                related = (Related(earlier.place("record"), "first here"),)
                hint = "give one of them another name"
                yield error(rule.place("record"), CODE, message, hint, related)


def _pieces(program: Program, rule: RecordingRule) -> tuple[str, ...]:
    """What tells rules of one name apart: in the specs nothing, in foreign files the expression where it has labels."""
    if not program.foreign:
        return ()
    shape = result(program, rule)
    single = shape is not None and not (shape.labels.open or shape.labels.possible)
    return () if single else words(program, rule.expr)
