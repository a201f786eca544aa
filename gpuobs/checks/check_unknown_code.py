"""A setting of a check that there is not.

Nothing would come of it.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Checks
name: default
checks:
  - {code: alert/no-runbok, severity: warning, reason: runbooks live in the wiki until Q3}
```

Good:

```yaml
apiVersion: gpuobs/v1
kind: Checks
name: default
checks:
  - {code: alert/no-runbook, severity: warning, reason: runbooks live in the wiki until Q3}
```
"""

from __future__ import annotations

CODE = "check/unknown-code"
SEVERITY = "error"
