"""A tier that does not exist.

The tier says how urgently an alert wants a person.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: infos
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot
```
"""

from __future__ import annotations

CODE = "alert/unknown-tier"
SEVERITY = "error"
