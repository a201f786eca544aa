"""A source that the compiler cannot fold.

A source is an instant expression over one vendor's metrics. Aggregation, rates and windows belong
to the rollups, which fold duplicates away first.

Bad:

```yaml
signals:
  - name: memory_in_use
    help: device memory in use
    unit: bytes
    sources:
      nvidia: sum(DCGM_FI_DEV_FB_USED) * 1024 * 1024
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

CODE = "signal/source"
SEVERITY = "error"
