"""An entry of `rule_files` that no file matches.

promtool prints a warning and goes on without the rules, so that every test which expects nothing passes. Paths begin
at the folder of the test file.

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
rule_files: [rules.yaml, rules-2.yaml]
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

CODE = "test/missing-rule-file"
SEVERITY = "error"
