"""An owner that does not exist.

An alert without an owner wakes nobody, or everybody.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot
    owner: infrastructure
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot
    owner: infra
```
"""

from __future__ import annotations

CODE = "alert/no-owner"
SEVERITY = "error"
