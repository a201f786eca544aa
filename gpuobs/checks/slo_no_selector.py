"""Events that are not given by a selector.

gpuobs adds `rate()` and `sum()` over each window itself, so that errors and all are summed before they are divided.

Bad:

```yaml
slos:
  - name: rules-evaluated
    objective: 0.99
    window: 14d
    events: {error: 'rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[5m])', total: DCGM_FI_DEV_PCIE_REPLAY_COUNTER}
    burn: {medium: {tier: info}, fast: {tier: info}, slow: {tier: info}}
    summary: rules of {{ $labels.cluster }} fail
```

Good:

```yaml
slos:
  - name: rules-evaluated
    objective: 0.99
    window: 14d
    events: {error: prometheus_rule_evaluation_failures_total, total: prometheus_rule_evaluations_total}
    burn: {medium: {tier: info}, fast: {tier: info}, slow: {tier: info}}
    summary: rules of {{ $labels.cluster }} fail
```
"""

from __future__ import annotations

CODE = "slo/no-selector"
SEVERITY = "error"
