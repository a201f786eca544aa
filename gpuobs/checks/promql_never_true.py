"""A threshold that can never be crossed.

A ratio is at most 1, a temperature at most 200: an alert beyond that is silent for ever. Most
often a percentage was written where a ratio is meant.

Bad:

```yaml
alerts:
  - name: GpuBusy
    tier: info
    when: {signal: sm_active, level: gpu, reduce: avg, window: 5m, above: 95}
    summary: busy
```

Good:

```yaml
alerts:
  - name: GpuBusy
    tier: info
    when: {signal: sm_active, level: gpu, reduce: avg, window: 5m, above: 0.95}
    summary: busy
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._ranges import comparisons, hint, never, told
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import expressions
from gpuobs.ir import Program

CODE = "promql/never-true"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for found in comparisons(expression):
            if never(found.operator, found.values, found.others):
                message = told(expression, found, "never")
                yield expression.error(found.node, CODE, message, hint(found))
