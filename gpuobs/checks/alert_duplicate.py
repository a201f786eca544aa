"""Two alerts of one name.

Silences, runbooks and routes name alerts.

Bad:

```yaml
alerts:
  - {name: GpuHot, tier: info, when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}, summary: hot}
  - {name: GpuHot, tier: info, when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 90}, summary: hot}
```

Good:

```yaml
alerts:
  - {name: GpuHot, tier: info, when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}, summary: hot}
  - {name: GpuVeryHot, tier: info, when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 90}, summary: hot}
```
"""

from __future__ import annotations

CODE = "alert/duplicate"
SEVERITY = "error"
