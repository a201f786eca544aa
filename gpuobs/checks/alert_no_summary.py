"""An alert without the summary that its tier requires.

The summary is the one line that a person reads on a phone at night. A tier says what its alerts
must have.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: ticket
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    for: 10m
    description: It slows down soon.
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

CODE = "alert/no-summary"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    return lacking(program, "summary", CODE)
