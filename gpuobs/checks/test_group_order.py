"""Groups that promtool evaluates in random order, though one reads the other's records.

Without `group_eval_order` promtool evaluates groups in any order, and so does it with groups that the list leaves out or
puts at one place. A rule then sees what another group recorded now, or one evaluation ago, and a test of changing values
passes on some days.

Rules:

```yaml
groups:
  - name: utilization
    rules:
      - {record: 'node:gpu_utilization:max', expr: max by (Hostname) (DCGM_FI_DEV_GPU_UTIL)}
  - name: alerts
    rules:
      - alert: GpuBusy
        expr: max(node:gpu_utilization:max) > 90
        for: 5m
```

Bad:

```yaml
rule_files: [rules.yaml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - {series: 'DCGM_FI_DEV_GPU_UTIL{Hostname="n1", gpu="0"}', values: 0+10x30}
    alert_rule_test:
      - eval_time: 10m
        alertname: GpuBusy
        exp_alerts: [{exp_labels: {}}]
```

Good:

```yaml
rule_files: [rules.yaml]
evaluation_interval: 1m
group_eval_order: [utilization, alerts]
tests:
  - interval: 1m
    input_series:
      - {series: 'DCGM_FI_DEV_GPU_UTIL{Hostname="n1", gpu="0"}', values: 0+10x30}
    alert_rule_test:
      - eval_time: 20m
        alertname: GpuBusy
        exp_alerts: [{exp_labels: {}}]
```
"""

from __future__ import annotations

CODE = "test/group-order"
SEVERITY = "warning"
