"""An alert whose `for` is shorter than its tier allows.

A page that needs no patience fires on every blip, and is then ignored. A tier says how long its
alerts wait at least.

Bad:

```yaml
alerts:
  - name: GpuExporterDown
    tier: page
    expr: up{job="dcgm-exporter"} == 0
    for: 30s
    summary: GPU exporter {{ $labels.instance }} does not answer
    description: Nothing is known of this node's GPUs.
    runbook: {impact: The node is not watched., diagnose: [kubectl get pods], fix: [Restart the exporter's pod.]}
    scenarios:
      - name: one exporter is down
        series: {'up{job="dcgm-exporter", instance="10.0.0.1:9400"}': '1x10 0x60'}
        fires: [{at: 15m, labels: {instance: "10.0.0.1:9400"}}]
```

Good:

```yaml
alerts:
  - name: GpuExporterDown
    tier: page
    expr: up{job="dcgm-exporter"} == 0
    for: 2m
    summary: GPU exporter {{ $labels.instance }} does not answer
    description: Nothing is known of this node's GPUs.
    runbook: {impact: The node is not watched., diagnose: [kubectl get pods], fix: [Restart the exporter's pod.]}
    scenarios:
      - name: one exporter is down
        series: {'up{job="dcgm-exporter", instance="10.0.0.1:9400"}': '1x10 0x60'}
        fires: [{at: 15m, labels: {instance: "10.0.0.1:9400"}}]
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
