"""Alerts on the budget that the fleet's exporters do not allow.

`alerts` of the Budget asks for alerts on Prometheus' own series, and on what the long-term store refuses. Where the fleet does
not collect a metric that they read they are left out, and nobody is told when the budget is passed.

Bad:

```yaml
exporters:
  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc]}
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
---
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {}
alerts: {owner: infra}
```

Good:

```yaml
exporters:
  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc]}
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
  - {catalog: prometheus, job: prometheus}
---
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {}
alerts: {owner: infra}
```
"""

from __future__ import annotations

CODE = "budget/not-watched"
SEVERITY = "warning"
