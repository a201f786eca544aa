"""A window with too few samples in it.

A rate needs two samples, and four scrape intervals to survive a missed one.

Bad:

```yaml
rollups:
  - signal: pcie_replays
    levels: {gpu: {rate: [30s]}}
```

Good:

```yaml
rollups:
  - signal: pcie_replays
    levels: {gpu: {rate: [5m]}}
```
"""

from __future__ import annotations

CODE = "rollup/window-too-short"
SEVERITY = "error"
