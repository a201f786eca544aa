"""A signal that does not exist.

`gpuobs explain signals` lists them.

Bad:

```yaml
rollups:
  - signal: powr
    levels: {gpu: {avg: [5m]}}
```

Good:

```yaml
rollups:
  - signal: power
    levels: {gpu: {avg: [5m]}}
```
"""

from __future__ import annotations

CODE = "rollup/unknown-signal"
SEVERITY = "error"
