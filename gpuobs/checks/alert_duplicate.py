"""Two alerts of one name.

Silences, runbooks and routes name alerts. In rule files of others one name may stand for several severities, so there only
alerts that have their labels and expression in common as well are reported: the server raises both under one identity.

Bad:

```yaml
alerts:
  - {name: GpuHot, tier: info, when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}, summary: hot}
  - {name: GpuHot, tier: info, when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 90}, summary: hot}
```

Good:

```yaml
alerts:
  - {name: GpuHot, tier: info, when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}, summary: hot}
  - {name: GpuIdle, tier: info, when: {signal: sm_active, level: gpu, reduce: avg, window: 5m, below: 0.01}, summary: idle}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._rules import side_by_side, words
from gpuobs.diagnostics import Diagnostic, Related, error
from gpuobs.ir import AlertingRule, Program

CODE = "alert/duplicate"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    first: dict[object, AlertingRule] = {}
    for group in side_by_side(program):
        for rule in group.rules:
            if not isinstance(rule, AlertingRule):
                continue
            identity = rule.alert, frozenset(rule.labels.items()), words(program, rule.expr)
            earlier = first.setdefault(identity, rule)
            if earlier is not rule:
                message = (
                    f"alert '{rule.alert}' is there twice, with the same labels and expression"
                )
                related = (Related(earlier.place("alert"), "first here"),)
                yield error(rule.place("alert"), CODE, message, "remove one of them", related)
