"""An expected number that rounding does not leave exact.

promtool compares every bit. 0.4 has no exact binary form, and after two operations that round, such as a rate and a division,
the result is mostly a neighbour of it, such as 0.3999999999999991. `fuzzy_compare` is no way out: it came with Prometheus 3.5,
and forgives the last bit only. Round in the expression, or compare there.

Bad:

```yaml
evaluation_interval: 1m
tests:
  - interval: 10s
    input_series:
      - {series: energy_joules, values: 0+0.4x120}
      - {series: operations, values: 0+1x120}
    promql_expr_test:
      - expr: rate(energy_joules[5m]) / rate(operations[5m])
        eval_time: 10m
        exp_samples: [{labels: '{}', value: 0.4}]
```

Good:

```yaml
evaluation_interval: 1m
tests:
  - interval: 10s
    input_series:
      - {series: energy_joules, values: 0+0.4x120}
      - {series: operations, values: 0+1x120}
    promql_expr_test:
      - expr: round(rate(energy_joules[5m]) / rate(operations[5m]), 0.001)
        eval_time: 10m
        exp_samples: [{labels: '{}', value: 0.4}]
```
"""

from __future__ import annotations

CODE = "test/exact-float"
SEVERITY = "warning"
