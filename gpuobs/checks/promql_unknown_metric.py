"""A metric that this fleet does not have.

An expression on a metric that no exporter collects gives nothing, and says nothing: the alert can
never fire. The fleet's exporters and their `collect` say what there is. In rule files of others a name that no catalog
has may be of another exporter: there only names are reported that cannot be, such as those that begin with `DCGM_FI_`.

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
from gpuobs.policy import Policy
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
            if program.foreign and not _is_nobodys(program.policy, name):
                continue
            span = expression.place(selector.name_start, selector.name_end)
            yield unknown_metric(program.policy, name, span, program.records)


def _is_nobodys(policy: Policy, name: str) -> bool:
    """Whether rules of others cannot mean a metric of an exporter that the fleet does not name."""
    return name in policy.known or any(
        name.startswith(tuple(exporter.catalog.complete))
        or any(name in each.names for each in exporter.catalog.mistaken)
        for exporter in policy.exporters
    )
