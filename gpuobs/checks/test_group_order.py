"""Groups that promtool evaluates in random order, though one reads the other's records.

Without `group_eval_order` promtool evaluates groups in any order. Groups that the list leaves out share the place of the
first that it names, in any order again. A rule then sees what another group recorded now, or one evaluation ago, and a test of changing values
passes on some days.

Rules:

```yaml
groups:
  - name: utilization
    rules:
      - {record: 'node:gpu_utilization:max', expr: max by (Hostname) (DCGM_FI_DEV_GPU_UTIL)}
  - name: clusters
    rules:
      - {record: 'cluster:gpu_utilization:max', expr: 'max(node:gpu_utilization:max)'}
```

Bad:

```yaml
rule_files: [rules.yaml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - {series: 'DCGM_FI_DEV_GPU_UTIL{Hostname="n1", gpu="0"}', values: 0+5x30}
    promql_expr_test:
      - expr: 'cluster:gpu_utilization:max'
        eval_time: 10m
        exp_samples: [{labels: 'cluster:gpu_utilization:max', value: 50}]
```

Good:

```yaml
rule_files: [rules.yaml]
evaluation_interval: 1m
group_eval_order: [utilization, clusters]
tests:
  - interval: 1m
    input_series:
      - {series: 'DCGM_FI_DEV_GPU_UTIL{Hostname="n1", gpu="0"}', values: 0+5x30}
    promql_expr_test:
      - expr: 'cluster:gpu_utilization:max'
        eval_time: 10m
        exp_samples: [{labels: 'cluster:gpu_utilization:max', value: 50}]
```
"""

from __future__ import annotations

CODE = "test/group-order"
SEVERITY = "warning"
