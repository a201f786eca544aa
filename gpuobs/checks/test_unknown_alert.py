"""A test of an alert that its rule files do not have.

promtool does not mind: where no alert is expected such a test passes for ever, also when the alert that was meant fires
all day. An alert that was renamed leaves such tests behind.

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
group_eval_order: [utilization, alerts]
tests:
  - interval: 1m
    input_series:
      - {series: 'DCGM_FI_DEV_GPU_UTIL{Hostname="n1", gpu="0"}', values: 95x30}
    alert_rule_test:
      - eval_time: 4m
        alertname: GpuBussy
        exp_alerts: []
```

Good:

```yaml
rule_files: [rules.yaml]
evaluation_interval: 1m
group_eval_order: [utilization, alerts]
tests:
  - interval: 1m
    input_series:
      - {series: 'DCGM_FI_DEV_GPU_UTIL{Hostname="n1", gpu="0"}', values: 95x30}
    alert_rule_test:
      - eval_time: 4m
        alertname: GpuBusy
        exp_alerts: []
```
"""

from __future__ import annotations

CODE = "test/unknown-alert"
SEVERITY = "error"
