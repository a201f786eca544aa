"""A setting, or a part of one, that changes nothing.

Its reader takes the check for off, milder or tuned, and it is not.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Checks
name: default
checks:
  - {code: rule/name, reason: our names predate the convention}
```

Good:

```yaml
apiVersion: gpuobs/v1
kind: Checks
name: default
checks:
  - {code: rule/name, enabled: false, reason: our names predate the convention}
```
"""

from __future__ import annotations

CODE = "check/no-effect"
SEVERITY = "error"
