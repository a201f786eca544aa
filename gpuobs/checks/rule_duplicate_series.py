"""Two rules that write the same series.

Prometheus keeps whichever rule is evaluated last, or fails the evaluation of one of them. In rule
files of others this is said of the same expression in the same file: different ones may write
different series under one name.

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

from gpuobs.diagnostics import Diagnostic, Related, error
from gpuobs.ir import Program, RecordingRule

CODE = "rule/duplicate-series"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    first: dict[tuple[str, ...], RecordingRule] = {}
    for file in program.rule_files:
        for rule in file.rules:
            if not isinstance(rule, RecordingRule):
                continue
            labels = (text for label in sorted(rule.labels.items()) for text in label)
            written = (file.name, rule.expr) if program.foreign else ()
            earlier = first.setdefault((*written, rule.record, *labels), rule)
            if earlier is not rule:
                message = f"'{rule.record}' is recorded twice with the same labels"
                related = (Related(earlier.origin.span, "first here"),)
                hint = "give one of them another name"
                yield error(rule.origin.span, CODE, message, hint, related)
