"""An operation that cannot be composed exactly.

A percentile of percentiles, an extreme of a ratio, a sum of ratios or temperatures: each gives a
number that means nothing. The hint names what is exact.

Bad:

```yaml
rollups:
  - signal: power
    levels: {cluster: {p90: [5m]}, fleet: {p90: [5m]}}
```

Good:

```yaml
rollups:
  - signal: power
    levels: {cluster: {p90: [5m]}, fleet: {avg: [5m]}}
```
"""

from __future__ import annotations

CODE = "rollup/not-composable"
SEVERITY = "error"
