"""Two rules that write the same series.

Prometheus keeps whichever rule is evaluated last, or fails the evaluation of one of them.

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
    first: dict[tuple[str, tuple[tuple[str, str], ...]], RecordingRule] = {}
    for rule in program.rules:
        if not isinstance(rule, RecordingRule):
            continue
        earlier = first.setdefault((rule.record, tuple(sorted(rule.labels.items()))), rule)
        if earlier is not rule:
            message = f"'{rule.record}' is recorded twice with the same labels"
            related = (Related(earlier.origin.span, "first here"),)
            yield error(rule.origin.span, CODE, message, "give one of them another name", related)
