"""A metric that this fleet does not have.

An expression on a metric that no exporter collects gives nothing, and says nothing: the alert can
never fire. The fleet's exporters and their `collect` say what there is.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: ticket
    expr: max by (Hostname, gpu) (DCGM_FI_DEV_GPU_TMP) > 85
    for: 10m
    summary: GPU {{ $labels.gpu }} is hot
    description: It slows down soon.
    runbook: {impact: Jobs slow down., diagnose: [nvidia-smi -q -d TEMPERATURE], fix: [Check the fans.]}
    scenarios:
      - name: one hot GPU
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30'}
        fires: [{at: 20m, labels: {gpu: "0"}}]
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: ticket
    expr: max by (Hostname, gpu) (DCGM_FI_DEV_GPU_TEMP) > 85
    for: 10m
    summary: GPU {{ $labels.gpu }} is hot
    description: It slows down soon.
    runbook: {impact: Jobs slow down., diagnose: [nvidia-smi -q -d TEMPERATURE], fix: [Check the fans.]}
    scenarios:
      - name: one hot GPU
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30'}
        fires: [{at: 20m, labels: {gpu: "0"}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import expressions
from gpuobs.ir import Program
from gpuobs.lower.scenarios import unknown_metric
from gpuobs.promql import selectors

CODE = "promql/unknown-metric"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    assert program.policy is not None
    for expression in expressions(program):
        for selector in selectors(expression.parsed):
            name = selector.name
            if not name or expression.world.metric(name) is not None:
                continue
            if program.foreign and name not in program.policy.known:
                continue
            span = expression.place(selector.name_start, selector.name_end)
            yield unknown_metric(program.policy, name, span, program.records)
