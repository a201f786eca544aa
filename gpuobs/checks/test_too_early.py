"""An alert is expected before it can fire.

An alert fires at the first evaluation at which its expression has had a result for as long as `for` says. The expression
has none before its series have samples, and `rate()` and its like want two of them in their window. From Prometheus 3.0 on a
window of the samples' distance holds only one, ever.

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
      - eval_time: 3m
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
      - {series: 'DCGM_FI_DEV_GPU_UTIL{Hostname="n1", gpu="0"}', values: 95x30}
    alert_rule_test:
      - eval_time: 10m
        alertname: GpuBusy
        exp_alerts: [{exp_labels: {}}]
```
"""

from __future__ import annotations

CODE = "test/too-early"
SEVERITY = "warning"
