"""A match on something that the fleet does not have.

No series can have such a label value, so the alert can never fire. Most often a cluster or a pool
was renamed or removed.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85, match: {pool: [h200]}}
    summary: GPU {{ $labels.gpu }} is hot
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85, match: {pool: [h100]}}
    summary: GPU {{ $labels.gpu }} is hot
```
"""

from __future__ import annotations

CODE = "promql/impossible-matcher"
SEVERITY = "error"
