"""Two documents of one kind and name.

Names are how documents and findings refer to each other. A project has one Fleet and one Tiers
document.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Rollups
name: base
rules: []
```

Good:

```yaml
apiVersion: gpuobs/v1
kind: Rollups
name: other
rules: []
```
"""

from __future__ import annotations

CODE = "spec/duplicate-name"
SEVERITY = "error"
