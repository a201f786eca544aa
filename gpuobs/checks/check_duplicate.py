"""A check that is set twice.

Only one of the two can hold.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Checks
name: default
checks:
  - {code: rule/name, severity: warning, reason: our names predate the convention}
  - {code: rule/name, enabled: false, reason: nobody reads them}
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

CODE = "check/duplicate"
SEVERITY = "error"
