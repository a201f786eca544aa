"""A threshold that is always crossed.

The alert would fire for every GPU from the first day.

Bad:

```yaml
alerts:
  - name: GpuIdle
    tier: info
    when: {signal: sm_active, level: gpu, reduce: avg, window: 5m, below: 5}
    summary: idle
```

Good:

```yaml
alerts:
  - name: GpuIdle
    tier: info
    when: {signal: sm_active, level: gpu, reduce: avg, window: 5m, below: 0.05}
    summary: idle
```
"""

from __future__ import annotations

CODE = "promql/always-true"
SEVERITY = "error"
