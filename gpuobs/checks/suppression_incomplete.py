"""A suppression without a code or a reason.

Whoever reads it later must know why the finding is wrong here. A last day is written as `until 2027-03-31`, before the
reason.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot # gpuobs: ignore alert/no-summary
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot
```
"""

from __future__ import annotations

CODE = "suppression/incomplete"
SEVERITY = "error"
