"""An alert that can never fire.

A budget cannot burn faster than it does when all is an error: 1 / (1 - objective) times too fast. With an objective of 0.9 that is
10 times, and an alert at 14.4 times never fires.

Bad:

```yaml
slos:
  - name: rules-evaluated
    objective: 0.9
    window: 30d
    events: {error: prometheus_rule_evaluation_failures_total, total: prometheus_rule_evaluations_total}
    burn: {medium: {tier: info}, fast: {tier: info}, slow: {tier: info}}
    summary: rules of {{ $labels.cluster }} fail
```

Good:

```yaml
slos:
  - name: rules-evaluated
    objective: 0.9
    window: 30d
    events: {error: prometheus_rule_evaluation_failures_total, total: prometheus_rule_evaluations_total}
    burn: {medium: {tier: info}, fast: {off: true}, slow: {tier: info}}
    summary: rules of {{ $labels.cluster }} fail
```
"""

from __future__ import annotations

CODE = "slo/unreachable"
SEVERITY = "error"
