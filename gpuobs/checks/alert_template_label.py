"""A template that names a label the alert cannot have.

Prometheus renders an unknown label as an empty text. The person who is woken reads 'GPU  on  is
hot'.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: ticket
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    for: 10m
    summary: GPU {{ $labels.gpu }} on {{ $labels.nod }} is hot
    description: It slows down soon.
    runbook: {impact: Jobs slow down., diagnose: [nvidia-smi -q -d TEMPERATURE], fix: [Check the fans.]}
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: ticket
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    for: 10m
    summary: GPU {{ $labels.gpu }} on {{ $labels.node }} is hot
    description: It slows down soon.
    runbook: {impact: Jobs slow down., diagnose: [nvidia-smi -q -d TEMPERATURE], fix: [Check the fans.]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import templates
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.expressions import result
from gpuobs.ir import Program
from gpuobs.nearest import did_you_mean
from gpuobs.promql.labelset import NAME
from gpuobs.spec.document import place

CODE = "alert/template-label"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for rule in program.alerting:
        shape = result(program, rule)
        if shape is None:
            continue
        for (part, _), node in rule.templates():
            for use in templates.read(node.value).labels:
                added = rule.labels if part == "annotations" else ()
                if not shape.labels.can_have(use.name) and use.name not in {NAME, *added}:
                    message = f"the series of this alert have no label '{use.name}'"
                    span = place(node, use.start, use.end)
                    yield error(span, CODE, message, did_you_mean(use.name, shape.labels.possible))
