"""A suppression of something that is not reported.

It would silence a later mistake.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot # gpuobs: ignore alert/no-summary -- the text is above
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

CODE = "suppression/unused"
SEVERITY = "warning"
