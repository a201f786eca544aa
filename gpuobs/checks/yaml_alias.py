"""An anchor, an alias or a merge key.

A spec says everything where it stands, so that a reader and a diff see what changes. Generate
specs that repeat themselves with Jsonnet.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Rollups
name: example
description: &text shared
rules: []
```

Good:

```yaml
apiVersion: gpuobs/v1
kind: Rollups
name: example
description: shared
rules: []
```
"""

from __future__ import annotations

CODE = "yaml/alias"
SEVERITY = "error"
