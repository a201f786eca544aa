"""Two signals of one name.

Rollups and alerts name signals.

Bad:

```yaml
signals:
  - {name: heat, help: GPU temperature, unit: celsius, sources: {nvidia: DCGM_FI_DEV_GPU_TEMP}}
  - {name: heat, help: GPU temperature, unit: celsius, sources: {nvidia: DCGM_FI_DEV_GPU_TEMP}}
```

Good:

```yaml
signals:
  - {name: heat, help: GPU temperature, unit: celsius, sources: {nvidia: DCGM_FI_DEV_GPU_TEMP}}
```
"""

from __future__ import annotations

CODE = "signal/duplicate"
SEVERITY = "error"
