"""Two groups of one name.

Prometheus does not load a file in which a group's name stands twice, and Kubernetes refuses a
PrometheusRule with two such groups. It happens when files are joined.

Bad:

```yaml
groups:
  - name: gpu.rules
    rules:
      - {record: cluster:gpus:count, expr: count by (cluster) (DCGM_FI_DEV_GPU_UTIL)}
  - name: gpu.rules
    rules:
      - {record: cluster:power:sum, expr: sum by (cluster) (DCGM_FI_DEV_POWER_USAGE)}
```

Good:

```yaml
groups:
  - name: gpu.rules
    rules:
      - {record: cluster:gpus:count, expr: count by (cluster) (DCGM_FI_DEV_GPU_UTIL)}
      - {record: cluster:power:sum, expr: sum by (cluster) (DCGM_FI_DEV_POWER_USAGE)}
```
"""

from __future__ import annotations

CODE = "rule/duplicate-group"
SEVERITY = "error"
