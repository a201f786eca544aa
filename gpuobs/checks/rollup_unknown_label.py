"""A label that a rollup cannot keep.

A level has its own labels, and may keep some of its GPUs' properties.

Bad:

```yaml
rollups:
  - signal: power
    levels: {cluster: {avg: [5m], by: [node]}}
```

Good:

```yaml
rollups:
  - signal: power
    levels: {cluster: {avg: [5m], by: [model]}}
```
"""

from __future__ import annotations

CODE = "rollup/unknown-label"
SEVERITY = "error"
