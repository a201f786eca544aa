"""A label that is gone one level below.

The fleet level is composed from the cluster level, which must keep what the fleet level keeps.

Bad:

```yaml
rollups:
  - signal: power
    levels: {cluster: {avg: [5m]}, fleet: {avg: [5m], by: [model]}}
```

Good:

```yaml
rollups:
  - signal: power
    levels: {cluster: {avg: [5m], by: [model]}, fleet: {avg: [5m], by: [model]}}
```
"""

from __future__ import annotations

CODE = "rollup/label-lost"
SEVERITY = "error"
