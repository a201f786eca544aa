"""A source that does not have its signal's unit.

DCGM reports memory in MiB, energy in millijoules and violations in nanoseconds. A wrong factor is
off by 5 % or by a million, on every panel.

Bad:

```yaml
signals:
  - name: memory_in_use
    help: device memory in use
    unit: bytes
    sources:
      nvidia: DCGM_FI_DEV_FB_USED * 1000 * 1000
```

Good:

```yaml
signals:
  - name: memory_in_use
    help: device memory in use
    unit: bytes
    sources:
      nvidia: DCGM_FI_DEV_FB_USED * 1024 * 1024
```
"""

from __future__ import annotations

CODE = "signal/unit"
SEVERITY = "error"
