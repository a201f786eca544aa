"""Tiers of storage that do not follow each other.

`hot` are the youngest of the raw samples that Prometheus keeps, for as long as `warm` says. It cannot be longer.

Bad:

```yaml
storage: {hot: 30d, warm: 15d}
```

Good:

```yaml
storage: {hot: 6h, warm: 15d}
```
"""

from __future__ import annotations

CODE = "fleet/retention"
SEVERITY = "error"
