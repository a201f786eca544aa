"""A file that is no YAML.

Nothing of the file can be read. Most often a value holds `: `, begins with `{{` or `@`, or a
quote is not closed.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Rollups
name: example
rules: [
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

CODE = "yaml/syntax"
SEVERITY = "error"
