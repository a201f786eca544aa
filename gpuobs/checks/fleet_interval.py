"""Intervals that do not go together.

Rules that are evaluated more often than samples arrive compute the same thing twice.

Bad:

```yaml
scrapeInterval: 1m
evaluationInterval: 30s
```

Good:

```yaml
scrapeInterval: 15s
evaluationInterval: 1m
```
"""

from __future__ import annotations

CODE = "fleet/interval"
SEVERITY = "error"
