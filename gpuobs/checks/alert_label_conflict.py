"""A label that the compiler sets itself.

`severity`, `tier` and `owner` come from the Tiers document: routing and inhibition rest on them.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: ticket
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    for: 10m
    labels: {severity: critical}
    summary: GPU {{ $labels.gpu }} on {{ $labels.node }} is hot
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
    labels: {team: hardware}
    summary: GPU {{ $labels.gpu }} on {{ $labels.node }} is hot
    description: It slows down soon.
    runbook: {impact: Jobs slow down., diagnose: [nvidia-smi -q -d TEMPERATURE], fix: [Check the fans.]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import names
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import Program

CODE = "alert/label-conflict"
SEVERITY = "error"


RESERVED = (names.ALERTNAME, names.OWNER, names.SEVERITY, names.TIER)


def check(program: Program) -> Iterator[Diagnostic]:
    assert program.policy is not None
    for _, alert in program.policy.all_alerts():
        for label in alert.labels:
            if label in RESERVED:
                message = f"label '{label}' is set from the tier and the owner"
                span = alert.written.at_key("labels", label)
                yield error(span, CODE, message, "remove it, or choose another tier or owner")
