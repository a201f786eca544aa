"""A recording rule that no other rule and no alert reads.

It is paid for at every evaluation. Dashboards and people may read it all the same, which gpuobs does not see, so this is off
until the project's Checks document switches it on. `gpuobs graph --unused` lists what is unused, rollups too.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Checks
name: default
checks:
  - {code: rule/unused, reason: our dashboards read rollups only}
---
rules:
  - {record: cluster:gpus:hot, expr: count by (cluster) (gpu:temperature:max5m > 80), unit: gpus}
```

Good:

```yaml
rules:
  - {record: cluster:gpus:hot, expr: count by (cluster) (gpu:temperature:max5m > 80), unit: gpus}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.budget.unused import may_match, read
from gpuobs.diagnostics import Diagnostic, warning
from gpuobs.ir import Program, RecordingRule

CODE = "rule/unused"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    names, patterns = read(program)
    for rule in program.rules:
        if not isinstance(rule, RecordingRule) or rule.part("expr") is None or rule.record in names:
            continue
        if not any(may_match(pattern, rule.record) for pattern in patterns):
            message = f"no rule and no alert reads '{rule.record}'"
            yield warning(rule.place("record"), CODE, message, "remove it, if no dashboard does")
