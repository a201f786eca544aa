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
from gpuobs.spec.model import Alert
from gpuobs.spec.node import Node

CODE = "alert/template-syntax"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    assert program.policy is not None
    for _, alert in program.policy.all_alerts():
        for node in texts(alert):
            for mistake in templates.read(node.value).mistakes:
                span = place(node, mistake.start, mistake.end)
                yield error(span, CODE, mistake.message, mistake.hint)


def texts(alert: Alert) -> Iterator[Node]:
    """The templated texts of an alert."""
    paths = [("summary",), ("description",), *(("labels", label) for label in alert.labels)]
    for path in paths:
        node = alert.written.get(*path)
        if node is not None and isinstance(node.value, str):
            yield node
