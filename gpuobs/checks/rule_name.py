"""A recording rule whose name does not say its level.

`level:metric:operation` tells a reader which labels a series has and what was done to it. A name
without colons looks like a raw metric. Rule files of others have their own ways, and are not held to it.

Bad:

```yaml
rules:
  - {record: gpu_count, expr: count by (cluster) (gpu:temperature:max5m), unit: gpus}
```

Good:

```yaml
rules:
  - {record: cluster:gpus:hot, expr: count by (cluster) (gpu:temperature:max5m > 80), unit: gpus}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import Program, RecordingRule

CODE = "rule/name"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for rule in program.rules if not program.foreign else ():
        if isinstance(rule, RecordingRule) and rule.record.count(":") < 2:
            message = f"'{rule.record}' is not of the form level:metric:operation"
            hint = f"such as cluster:{rule.record.replace(':', '_')}:sum"
            yield error(rule.origin.span, CODE, message, hint)
