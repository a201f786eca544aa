"""A time that Prometheus cannot read.

Its durations are whole numbers with a unit, the largest unit first: `90s`, `5m`, `1h30m`. It loads
no file with another form: not `PT3M`, not `5 m`, `1.5m`, `30m1h`, `90`, `5min` or `-5m`.

Bad:

```yaml
groups:
  - name: gpu.alerts
    rules:
      - alert: GpuHot
        expr: DCGM_FI_DEV_GPU_TEMP > 85
        for: PT3M
        annotations: {summary: "GPU {{ $labels.gpu }} is hot"}
```

Good:

```yaml
groups:
  - name: gpu.alerts
    rules:
      - alert: GpuHot
        expr: DCGM_FI_DEV_GPU_TEMP > 85
        for: 3m
        annotations: {summary: "GPU {{ $labels.gpu }} is hot"}
```
"""

from __future__ import annotations

CODE = "rule/duration-invalid"
SEVERITY = "error"
