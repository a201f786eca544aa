"""A counter without a rate.

A counter only ever rises, until the driver is reloaded: its value says how long that is ago.

Bad:

```yaml
rollups:
  - signal: pcie_replays
    levels: {gpu: {avg: [5m]}}
```

Good:

```yaml
rollups:
  - signal: pcie_replays
    levels: {gpu: {rate: [5m]}}
```
"""

from __future__ import annotations

CODE = "rollup/counter-without-rate"
SEVERITY = "error"
