"""A recording rule whose name does not say its level.

`level:metric:operation` tells a reader which labels a series has and what was done to it. A name
without colons looks like a raw metric. Rule files of others follow conventions of their own.

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
PARAMETERS = {"colons": (2, "the fewest colons of a recorded name.")}


def check(program: Program) -> Iterator[Diagnostic]:
    fewest = program.parameter(CODE, "colons", PARAMETERS["colons"][0])
    for rule in () if program.foreign else program.rules:
        if isinstance(rule, RecordingRule) and rule.record.count(":") < fewest:
            message = f"'{rule.record}' is not of the form level:metric:operation"
            hint = f"such as cluster:{rule.record.replace(':', '_')}:sum"
            yield error(rule.origin.span, CODE, message, hint)
