"""A rate of a gauge.

Power and bandwidth are rates already: what rises and falls has no rate.

Bad:

```yaml
rollups:
  - signal: power
    levels: {gpu: {rate: [5m]}}
```

Good:

```yaml
rollups:
  - signal: power
    levels: {gpu: {avg: [5m]}}
```
"""

from __future__ import annotations

CODE = "rollup/rate-on-gauge"
SEVERITY = "error"
