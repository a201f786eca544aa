"""An expression that is no PromQL.

Prometheus would not load the file, with all its other rules.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    expr: gpu:temperature:max5m >
    summary: GPU {{ $labels.gpu }} is hot
    scenarios:
      - name: one hot GPU
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30'}
        fires: [{at: 20m, labels: {node: n1}}]
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

CODE = "promql/syntax"
SEVERITY = "error"
