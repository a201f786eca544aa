"""An expression that the oldest Prometheus of the fleet cannot read.

`prometheusVersion` of the fleet says which that is; the message says which version has it.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    expr: gpu:temperature:max5m > 85 and on () time() > 5m
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
    expr: gpu:temperature:max5m > 85 and on () vector(time()) > 300
    summary: GPU {{ $labels.gpu }} is hot
    scenarios:
      - name: one hot GPU
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30'}
        fires: [{at: 20m, labels: {node: n1}}]
```
"""

from __future__ import annotations

CODE = "promql/unsupported-syntax"
SEVERITY = "error"
