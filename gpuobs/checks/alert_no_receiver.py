"""An owner without a receiver for the tier.

The Tiers document says where the owner gets alerts of this tier.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: ticket
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot
    owner: workloads
    description: It slows down soon.
    runbook: {impact: Jobs slow down., diagnose: [nvidia-smi], fix: [Check the fans.]}
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot
    owner: workloads
```
"""

from __future__ import annotations

CODE = "alert/no-receiver"
SEVERITY = "error"
