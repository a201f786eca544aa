"""An alert without the description that its tier requires.

The description says what the alert means. Without it the person who is woken starts by reading
PromQL.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: ticket
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    for: 10m
    summary: GPU {{ $labels.gpu }} on {{ $labels.node }} is hot
    runbook: {impact: Jobs slow down., diagnose: [nvidia-smi -q -d TEMPERATURE], fix: [Check the fans.]}
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: ticket
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    for: 10m
    summary: GPU {{ $labels.gpu }} on {{ $labels.node }} is hot
    description: It slows down soon.
    runbook: {impact: Jobs slow down., diagnose: [nvidia-smi -q -d TEMPERATURE], fix: [Check the fans.]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._tiers import lacking
from gpuobs.diagnostics import Diagnostic
from gpuobs.ir import Program

CODE = "alert/no-description"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    return lacking(program, "description", CODE)
