"""A way to the long-term store that it does not have.

Only Thanos takes blocks from a sidecar beside Prometheus. Mimir is written to, and a federating Prometheus scrapes.

Bad:

```yaml
storage:
  longTerm: {kind: mimir, mode: sidecar}
```

Good:

```yaml
storage:
  longTerm: {kind: thanos, mode: sidecar}
```
"""

from __future__ import annotations

CODE = "fleet/long-term"
SEVERITY = "error"
