"""A setting of a code without which nothing can be compiled.

Where YAML, a document or an expression cannot be read there is no program to go on with, whatever a
project thinks of it. A suppression is a finding of its own, which no project needs to tune.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Checks
name: default
checks:
  - {code: promql/syntax, severity: warning, reason: we mend it in Helm}
```

Good:

```yaml
apiVersion: gpuobs/v1
kind: Checks
name: default
checks:
  - {code: alert/no-summary, severity: warning, reason: dashboards say it}
```
"""

from __future__ import annotations

CODE = "check/not-settable"
SEVERITY = "error"
