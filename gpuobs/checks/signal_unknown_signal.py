"""A ratio of a signal that does not exist.

Both parts of a ratio are signals.

Bad:

```yaml
signals:
  - {name: free_share, help: share of memory that is free, unit: ratio, ratio: {of: memory_fre, to: memory_total}}
```

Good:

```yaml
signals:
  - {name: free_share, help: share of memory that is free, unit: ratio, ratio: {of: memory_free, to: memory_total}}
```
"""

from __future__ import annotations

CODE = "signal/unknown-signal"
SEVERITY = "error"
