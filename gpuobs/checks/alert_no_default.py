"""Thresholds by model without a default.

A GPU of a model that is not named would have no threshold.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: {H100-SXM5-80GB: 87}}
    summary: GPU {{ $labels.gpu }} is hot
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: {default: 85, H100-SXM5-80GB: 87}}
    summary: GPU {{ $labels.gpu }} is hot
```
"""

from __future__ import annotations

CODE = "alert/no-default"
SEVERITY = "error"
