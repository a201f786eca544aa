"""Samples that promtool cannot read.

Samples are numbers with blanks between them: `70x10` is 70 eleven times, `70+5x10` rises by 5, `_` is a scrape that gave
nothing.

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
      - {series: 'DCGM_FI_DEV_GPU_UTIL{Hostname="n1", gpu="0"}', values: 95 x30}
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

CODE = "test/bad-values"
SEVERITY = "error"
