"""A page that leaves nothing to do.

Who is woken at night must be able to act at once. A page without a runbook, or whose runbook says that nothing is to be
done, teaches people to go back to sleep. A tier that requires a runbook has its own check. Rule files of others are not
judged: their runbooks may be kept elsewhere.

Bad:

```yaml
alerts:
  - name: GpuExporterDown
    tier: page
    expr: up{job="dcgm-exporter"} == 0
    for: 5m
    summary: GPU exporter {{ $labels.instance }} does not answer
    description: Nothing is known of this node's GPUs.
    runbook: {impact: The node is not watched., diagnose: [kubectl get pods], fix: [Nothing; it comes back by itself.]}
    scenarios:
      - name: one exporter is down
        series: {'up{job="dcgm-exporter", instance="10.0.0.1:9400"}': '1x10 0x30'}
        fires: [{at: 20m, labels: {instance: "10.0.0.1:9400"}}]
```

Good:

```yaml
alerts:
  - name: GpuExporterDown
    tier: page
    expr: up{job="dcgm-exporter"} == 0
    for: 5m
    summary: GPU exporter {{ $labels.instance }} does not answer
    description: Nothing is known of this node's GPUs.
    runbook: {impact: The node is not watched., diagnose: [kubectl get pods], fix: [Restart the exporter's pod.]}
    scenarios:
      - name: one exporter is down
        series: {'up{job="dcgm-exporter", instance="10.0.0.1:9400"}': '1x10 0x30'}
        fires: [{at: 20m, labels: {instance: "10.0.0.1:9400"}}]
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuobs.checks._tiers import is_page
from gpuobs.diagnostics import Diagnostic, warning
from gpuobs.ir import Program

CODE = "alert/page-without-action"
SEVERITY = "warning"

_NOTHING = re.compile(
    r"(?:nothing|none|no action|n/a|tbd|todo|to be done|ignore)\b|\W*\Z", re.IGNORECASE
)
_HINT = "say in 'runbook: {fix: [...]}' what to do, or choose a tier that wakes nobody"


def check(program: Program) -> Iterator[Diagnostic]:
    assert program.policy is not None
    for _, alert in program.policy.all_alerts():
        tier = program.policy.tiers.tiers[alert.tier]
        if not is_page(alert.tier, tier):
            continue
        if alert.runbook is None:
            if "runbook" not in tier.requires:
                message = f"'{alert.name}' wakes someone and says nothing of what to do"
                yield warning(alert.where("name"), CODE, message, _HINT)
        elif all(_NOTHING.match(step.strip()) for step in alert.runbook.fix):
            message = f"'{alert.name}' wakes someone, and its runbook has nothing to do"
            yield warning(alert.where("runbook", "fix"), CODE, message, _HINT)
