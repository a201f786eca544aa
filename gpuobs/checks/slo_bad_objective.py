"""An objective that is always kept, or never.

An objective is the share of good in all: 1 leaves no budget for errors at all, and 0 cannot be missed.

Bad:

```yaml
slos:
  - name: rules-evaluated
    objective: 99
    window: 14d
    events: {error: prometheus_rule_evaluation_failures_total, total: prometheus_rule_evaluations_total}
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

CODE = "slo/bad-objective"
SEVERITY = "error"
