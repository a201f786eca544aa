"""A field that the declared version of Prometheus does not have.

promtool and Prometheus refuse a whole file for one key that they do not know. What counts is the oldest version that must
read the file: the Fleet's `prometheusVersion`.

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
fuzzy_compare: true
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

CODE = "target/unsupported-field"
SEVERITY = "error"
