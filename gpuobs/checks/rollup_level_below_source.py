"""An operation over GPUs at a level that has one.

Sums, counts and percentiles are taken over GPUs.

Bad:

```yaml
rollups:
  - signal: power
    levels: {gpu: {sum: [5m]}}
```

Good:

```yaml
rollups:
  - signal: power
    levels: {node: {sum: [5m]}}
```
"""

from __future__ import annotations

CODE = "rollup/level-below-source"
SEVERITY = "error"
