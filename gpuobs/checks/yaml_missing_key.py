"""A key that must be there.

`gpuobs schema KIND` shows what each kind of document needs.

Bad:

```yaml
alerts:
  - name: GpuHot
    expr: gpu:temperature:max5m > 85
    scenarios:
      - name: one hot GPU
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30'}
        fires: [{at: 20m}]
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: info
    expr: gpu:temperature:max5m > 85
    summary: GPU {{ $labels.gpu }} is hot
    scenarios:
      - name: one hot GPU
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30'}
        fires: [{at: 20m, labels: {node: n1}}]
```
"""

from __future__ import annotations

CODE = "yaml/missing-key"
SEVERITY = "error"
