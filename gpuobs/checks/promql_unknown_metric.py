"""A metric that this fleet does not have.

An expression on a metric that no exporter collects gives nothing, and says nothing: the alert can
never fire. The fleet's exporters and their `collect` say what there is.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: ticket
    expr: DCGM_FI_DEV_GPU_TMP > 85
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
    expr: DCGM_FI_DEV_GPU_TEMP > 85
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

from gpuobs import promql
from gpuobs.diagnostics import Diagnostic
from gpuobs.ir import Program
from gpuobs.lower.scenarios import unknown_metric
from gpuobs.spec.document import place
from gpuobs.spec.model import Alert, PlainRule
from gpuobs.spec.node import Node

CODE = "promql/unknown-metric"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    assert program.policy is not None
    records = program.records
    for node, parsed in written_expressions(program):
        for selector in promql.selectors(parsed):
            name = selector.name
            if name and name not in records and name not in program.policy.collected:
                span = place(node, selector.name_start, selector.name_end)
                yield unknown_metric(program.policy, name, span, frozenset(records))


def written_expressions(program: Program) -> Iterator[tuple[Node, promql.Parsed]]:
    """The expressions that authors wrote, parsed, with their nodes."""
    assert program.policy is not None
    items: list[Alert | PlainRule] = [a for _, a in program.policy.all_alerts() if a.expr]
    items += [rule for document in program.policy.rollups for rule in document.rules]
    for item in items:
        node = item.written.get("expr")
        parsed = promql.parse(str(item.expr), program.version)
        if node is not None and isinstance(parsed, promql.Parsed):
            yield node, parsed
