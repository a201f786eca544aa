"""An objective on a signal that does not say what is good.

A share is of things that are good (1) or not (0). A temperature is neither.

Bad:

```yaml
slos:
  - name: rules-evaluated
    objective: 0.99
    window: 14d
    good: {signal: temperature}
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

CODE = "slo/no-share"
SEVERITY = "error"
