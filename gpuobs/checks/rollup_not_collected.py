"""A signal whose metrics are not collected.

The exporter does not write what the rollup reads, so that it records nothing. Collect the metric,
or record another signal.

Bad:

```yaml
rollups:
  - signal: temperature_margin
    levels: {gpu: {min: [5m]}}
```

Good:

```yaml
rollups:
  - signal: memory_temperature
    levels: {gpu: {max: [5m]}}
```
"""

from __future__ import annotations

CODE = "rollup/not-collected"
SEVERITY = "error"
