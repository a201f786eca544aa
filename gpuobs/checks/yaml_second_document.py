"""A second document in one file.

Prometheus and others read the first document and skip the rest without a word.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Rollups
name: example
rules: []
---
kind: Alerts
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

CODE = "yaml/second-document"
SEVERITY = "error"
