"""A value of the wrong form.

Such as a duration with a space in it or an unknown word.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot
    for: 10 minutes
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot
    for: 10m
```
"""

from __future__ import annotations

CODE = "yaml/bad-value"
SEVERITY = "error"
