"""An objective that does not say what is good, or says it twice.

One of `good`, `sampled`, `events` and `latency` tells good from bad; events need `error` or `good`.

Bad:

```yaml
slos:
  - name: rules-evaluated
    objective: 0.99
    window: 14d
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

CODE = "slo/no-condition"
SEVERITY = "error"
