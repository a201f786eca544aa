"""A scenario that expects a label which the alert cannot have.

Alerts carry canonical labels (`node`, `gpu`), whatever the exporter calls them, and what the
expression keeps. A scenario that names another label can only fail.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot
    scenarios:
      - name: one hot GPU
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30'}
        fires: [{at: 20m, labels: {Hostname: n1}}]
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot
    scenarios:
      - name: one hot GPU
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30'}
        fires: [{at: 20m, labels: {node: n1}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import names
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.expressions import result
from gpuobs.ir import AlertingRule, Program
from gpuobs.nearest import did_you_mean
from gpuobs.spec.model import Alert

CODE = "scenario/unknown-label"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    assert program.policy is not None
    for _, alert in program.policy.all_alerts():
        labels = _labels(program, program.alerts[alert.name])
        if labels is not None:
            yield from _unknown(program, alert, labels)


def _labels(program: Program, rule: AlertingRule) -> frozenset[str] | None:
    """Every label that the alert can carry; None where that is not known."""
    shape = result(program, rule)
    if shape is None or shape.labels.open:
        return None
    return shape.labels.possible | {*rule.labels, names.ALERTNAME}


def _unknown(program: Program, alert: Alert, labels: frozenset[str]) -> Iterator[Diagnostic]:
    for scenario in alert.scenarios:
        for expectation in (*scenario.fires, *scenario.quiet):
            for label in expectation.labels:
                if label not in labels:
                    message = f"alert '{alert.name}' has no label '{label}'"
                    span = expectation.written.at_key("labels", label)
                    yield error(span, CODE, message, _hint(program, str(label), labels))


def _hint(program: Program, label: str, labels: frozenset[str]) -> str:
    """The same label by its other name: canonical for the exporter's, or the other way round."""
    assert program.policy is not None
    for exporter in program.policy.exporters:
        for canonical in names.CANONICAL_LABELS:
            pair = (canonical, exporter.label(canonical))
            for here, there in (pair, pair[::-1]):
                if label == here and there in labels:
                    return f"it is called '{there}' here"
    return did_you_mean(label, labels)
