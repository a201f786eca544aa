"""MIG instances that do not fit the GPU.

Series are counted and ratios weighted by the instances that the fleet says there are.

Bad:

```yaml
clusters:
  - name: one
    pools:
      - {name: a, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8, mig: {1g.5gb: 7}}
```

Good:

```yaml
clusters:
  - name: one
    pools:
      - {name: a, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8, mig: {1g.10gb: 7}}
```
"""

from __future__ import annotations

CODE = "fleet/mig"
SEVERITY = "error"
