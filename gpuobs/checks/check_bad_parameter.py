"""A value of another type than the check's parameter has.

`gpuobs explain CODE` prints a check's page, which ends with its parameters and their defaults.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Checks
name: default
checks:
  - {code: rule/name, parameters: {colons: one}, reason: ours have one}
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

CODE = "check/bad-parameter"
SEVERITY = "error"
