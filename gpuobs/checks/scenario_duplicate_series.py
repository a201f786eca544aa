"""One series given twice.

Labels that are left out are filled in, so that two series can become one.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot
    scenarios:
      - name: one hot GPU
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30', 'DCGM_FI_DEV_GPU_TEMP{Hostname="n1", gpu="0"}': '90x30'}
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
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30', 'DCGM_FI_DEV_GPU_TEMP{Hostname="n1", gpu="1"}': '70x30'}
        fires: [{at: 20m, labels: {node: n1}}]
```
"""

from __future__ import annotations

CODE = "scenario/duplicate-series"
SEVERITY = "error"
