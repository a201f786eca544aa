"""The value in a label.

A label identifies an alert. With the value in it every evaluation is a new alert, so none ever
waits out its `for`.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: ticket
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    for: 10m
    labels: {reading: '{{ $value }}'}
    summary: GPU {{ $labels.gpu }} on {{ $labels.node }} is hot
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
    summary: GPU {{ $labels.gpu }} is at {{ $value }} degrees
    description: It slows down soon.
    runbook: {impact: Jobs slow down., diagnose: [nvidia-smi -q -d TEMPERATURE], fix: [Check the fans.]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import templates
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import Program

CODE = "alert/value-in-label"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for rule in program.alerting:
        for (part, label), node in rule.templates():
            if part == "labels" and templates.read(node.value).uses_value:
                message = f"label '{label}' holds the value, so every new value is a new alert"
                yield error(node.span, CODE, message, "say it in 'summary' or 'description'")
