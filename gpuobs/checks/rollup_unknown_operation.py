"""A name for something that is not recorded.

`record` names an operation and window of the same level, such as `avg5m`.

Bad:

```yaml
rollups:
  - signal: power
    levels: {gpu: {avg: [5m], record: {max5m: gpu:power:peak}}}
```

Good:

```yaml
rollups:
  - signal: power
    levels: {gpu: {avg: [5m], record: {avg5m: gpu:power:mean}}}
```
"""

from __future__ import annotations

CODE = "rollup/unknown-operation"
SEVERITY = "error"
