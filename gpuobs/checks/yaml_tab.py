"""A tab in the indentation.

YAML forbids tabs there, and editors hide them.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Rollups
name: example
rules:
        - {}
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

CODE = "yaml/tab"
SEVERITY = "error"
