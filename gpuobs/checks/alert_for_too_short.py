"""An alert whose `for` is shorter than its tier allows.

A page that needs no patience fires on every blip, and is then ignored. A tier says how long its
alerts wait at least.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: page
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    for: 30s
    summary: GPU {{ $labels.gpu }} on {{ $labels.node }} is hot
    description: It slows down soon.
    runbook: {impact: Jobs slow down., diagnose: [nvidia-smi -q -d TEMPERATURE], fix: [Check the fans.]}
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: page
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    for: 2m
    summary: GPU {{ $labels.gpu }} on {{ $labels.node }} is hot
    description: It slows down soon.
    runbook: {impact: Jobs slow down., diagnose: [nvidia-smi -q -d TEMPERATURE], fix: [Check the fans.]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import Program

CODE = "alert/for-too-short"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    assert program.policy is not None
    for _, alert in program.policy.all_alerts():
        bound = program.policy.tiers.tiers[alert.tier].min_for
        if bound is not None and alert.for_.seconds < bound.seconds:
            message = f"'for: {alert.for_}' is shorter than tier '{alert.tier}' allows ({bound})"
            span = alert.where("for") if alert.written.get("for") else alert.where("name")
            yield error(span, CODE, message, f"for: {bound}")
