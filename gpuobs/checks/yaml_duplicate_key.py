"""A key that is there twice.

YAML readers silently take one of the two values, and not all of them the same.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Rollups
name: example
rules: []
rules: []
```

Good:

```yaml
apiVersion: gpuobs/v1
kind: Rollups
name: example
rules: []
```
"""

from __future__ import annotations

CODE = "yaml/duplicate-key"
SEVERITY = "error"
