"""A parameter that the check does not have.

`gpuobs explain CODE` prints a check's page, which ends with its parameters.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Checks
name: default
checks:
  - {code: rule/name, parameters: {colon: 1}, reason: ours have one}
```

Good:

```yaml
apiVersion: gpuobs/v1
kind: Checks
name: default
checks:
  - {code: rule/name, parameters: {colons: 1}, reason: ours have one}
```
"""

from __future__ import annotations

CODE = "check/unknown-parameter"
SEVERITY = "error"
