"""A key that the language does not have.

A misspelt key would otherwise do nothing, which nobody notices.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot
    foor: 10m
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

CODE = "yaml/unknown-key"
SEVERITY = "error"
