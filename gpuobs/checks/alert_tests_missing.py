"""An alert on PromQL without a scenario.

Alerts on a signal get boundary tests from the compiler. An alert in PromQL has only the scenarios
that its author writes; without one nobody knows that it can fire.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: ticket
    expr: gpu:temperature:max5m > 85
    for: 10m
    summary: GPU {{ $labels.gpu }} on {{ $labels.node }} is hot
    description: It slows down soon.
    runbook: {impact: Jobs slow down., diagnose: [nvidia-smi -q -d TEMPERATURE], fix: [Check the fans.]}
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: ticket
    expr: gpu:temperature:max5m > 85
    for: 10m
    summary: GPU {{ $labels.gpu }} on {{ $labels.node }} is hot
    description: It slows down soon.
    runbook: {impact: Jobs slow down., diagnose: [nvidia-smi -q -d TEMPERATURE], fix: [Check the fans.]}
    scenarios:
      - name: one hot GPU
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30'}
        fires: [{at: 20m, labels: {node: n1}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.diagnostics import Diagnostic, warning
from gpuobs.ir import Program

CODE = "alert/tests-missing"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    assert program.policy is not None
    for _, alert in program.policy.all_alerts():
        tier = program.policy.tiers.tiers[alert.tier]
        if not alert.scenarios and (alert.expr is not None or "scenarios" in tier.requires):
            message = f"alert '{alert.name}' has no scenario, so nothing tests it"
            hint = "add 'scenarios:' with series that make it fire, and when"
            yield warning(alert.where("name"), CODE, message, hint)
