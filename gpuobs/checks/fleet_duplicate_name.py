"""Two clusters, or two pools of a cluster, of one name.

Series of the two could not be told apart.

Bad:

```yaml
clusters:
  - name: one
    pools:
      - {name: a, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8}
      - {name: a, gpu: H100-SXM5-80GB, nodes: 2, gpusPerNode: 8}
```

Good:

```yaml
clusters:
  - name: one
    pools:
      - {name: a, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8}
      - {name: b, gpu: H100-SXM5-80GB, nodes: 2, gpusPerNode: 8}
```
"""

from __future__ import annotations

CODE = "fleet/duplicate-name"
SEVERITY = "error"
