"""A template that Prometheus cannot parse.

A rule file with a broken template is not loaded at all, with all its other rules.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: ticket
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    for: 10m
    summary: "GPU {{ $labels.gpu is hot"
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
from gpuobs.ir import Program
from gpuobs.spec.document import place

CODE = "alert/template-syntax"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for rule in program.alerting:
        for _, node in rule.templates():
            for mistake in templates.read(node.value).mistakes:
                span = place(node, mistake.start, mistake.end)
                yield error(span, CODE, mistake.message, mistake.hint)
