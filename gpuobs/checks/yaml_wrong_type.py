"""A value of the wrong type.

Such as a number where text is wanted: YAML readers would each make something else of it.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: hot}
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

CODE = "yaml/wrong-type"
SEVERITY = "error"
