"""A matcher on a label that the metric never has.

A matcher on a label that no series has selects nothing. Names differ by exporter and version:
`Hostname` and `hostname`, `pod` and `exported_pod`.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: ticket
    expr: DCGM_FI_DEV_GPU_TEMP{hostname="n1"} > 85
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
    expr: DCGM_FI_DEV_GPU_TEMP{Hostname="n1"} > 85
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
from gpuobs.checks.promql_unknown_metric import written_expressions
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import Program
from gpuobs.nearest import did_you_mean
from gpuobs.spec.document import place

CODE = "promql/unknown-label"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for node, parsed in written_expressions(program):
        for selector in promql.selectors(parsed):
            labels = program.labels_of(selector.name) if selector.name else None
            for matcher in selector.matchers:
                if labels is not None and matcher.label not in {*labels, "__name__"}:
                    message = f"series of '{selector.name}' have no label '{matcher.label}'"
                    span = place(node, matcher.label_start, matcher.label_end)
                    yield error(
                        span, CODE, message, _hint(program, selector.name, matcher.label, labels)
                    )


def _hint(program: Program, metric: str, label: str, labels: frozenset[str]) -> str:
    assert program.policy is not None
    collected = program.policy.collected.get(metric)
    return collected.label_hint(label) if collected else did_you_mean(label, labels)
