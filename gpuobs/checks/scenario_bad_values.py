"""Samples that are not in promtool's notation.

`90x30` is 90, and 30 times more; `0+5x10` rises by 5; `_` is missing; `stale` ends the series.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot
    scenarios:
      - name: one hot GPU
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90*30'}
        fires: [{at: 20m, labels: {node: n1}}]
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot
    scenarios:
      - name: one hot GPU
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30'}
        fires: [{at: 20m, labels: {node: n1}}]
```
"""

from __future__ import annotations

CODE = "scenario/bad-values"
SEVERITY = "error"
