"""An alert without the runbook that its tier requires.

An alert that wakes someone must say what to do. If there is nothing to do, it should not wake
anyone.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: ticket
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    for: 10m
    summary: GPU {{ $labels.gpu }} on {{ $labels.node }} is hot
    description: It slows down soon.
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

CODE = "alert/no-runbook"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    return lacking(program, "runbook", CODE)
