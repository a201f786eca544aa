"""A window that is longer than samples are kept, or does not fit the others.

Over a window that Prometheus has no samples for, an objective is only kept as far back as there are some.

Bad:

```yaml
storage: {warm: 7d}
---
slos:
  - name: rules-evaluated
    objective: 0.99
    window: 14d
    events: {error: prometheus_rule_evaluation_failures_total, total: prometheus_rule_evaluations_total}
    burn: {medium: {tier: info}, fast: {tier: info}, slow: {tier: info}}
    summary: rules of {{ $labels.cluster }} fail
```

Good:

```yaml
storage: {warm: 15d}
---
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

CODE = "slo/window"
SEVERITY = "error"
