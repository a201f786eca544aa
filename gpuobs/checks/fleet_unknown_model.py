"""A GPU model that is not known.

Memory, temperature limits and MIG profiles come from the model. A model of your own goes into a
GpuModels document.

Bad:

```yaml
clusters:
  - name: one
    pools:
      - {name: a, gpu: H100-SXM4-80GB, nodes: 4, gpusPerNode: 8}
```

Good:

```yaml
clusters:
  - name: one
    pools:
      - {name: a, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8}
```
"""

from __future__ import annotations

CODE = "fleet/unknown-model"
SEVERITY = "error"
