"""A window with too many samples in it.

Every evaluation would load thousands of samples of each GPU. promtool refuses to evaluate such a
rule, so that nothing could test it. A longer window builds on the recorded window of one evaluation
interval, where there is one.

Bad:

```yaml
rollups:
  - signal: power
    levels: {gpu: {avg: [2d]}}
```

Good:

```yaml
rollups:
  - signal: power
    levels: {gpu: {avg: [1m, 2d]}}
```
"""

from __future__ import annotations

CODE = "rollup/window-too-long"
SEVERITY = "error"
