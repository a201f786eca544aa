"""A template of Prometheus' in a file that Helm renders first.

Helm reads `{{ $labels.gpu }}` as its own, has no variable of that name, and renders nothing at
all. Wrapped in an action with a text in it, it comes out as it was.

Bad:

```yaml
groups:
  - name: gpu.alerts
    rules:
      - alert: GpuHot
        expr: DCGM_FI_DEV_GPU_TEMP > {{ .Values.gpu.hot }}
        annotations:
          summary: "GPU {{ $labels.gpu }} is hot"
```

Good:

```yaml
groups:
  - name: gpu.alerts
    rules:
      - alert: GpuHot
        expr: DCGM_FI_DEV_GPU_TEMP > {{ .Values.gpu.hot }}
        annotations:
          summary: "GPU {{`{{ $labels.gpu }}`}} is hot"
```
"""

from __future__ import annotations

CODE = "alert/template-escape"
SEVERITY = "error"
