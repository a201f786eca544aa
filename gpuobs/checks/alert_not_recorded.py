"""A condition on something that no rollup records.

A condition reads a recorded series, so that what is computed and what it costs is stated in one
place.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 10m, above: 85}
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

CODE = "alert/not-recorded"
SEVERITY = "error"
