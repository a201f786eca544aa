"""A rule's label that takes the place of another one.

`severity`, `tier` and `owner` come from the Tiers document: routing and inhibition rest on them. A
label that the series of the result have themselves is lost: alerts of several GPUs become one, and
a recording rule whose series become equal fails altogether.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: ticket
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    for: 10m
    labels: {severity: critical}
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
    labels: {team: hardware}
    summary: GPU {{ $labels.gpu }} on {{ $labels.node }} is hot
    description: It slows down soon.
    runbook: {impact: Jobs slow down., diagnose: [nvidia-smi -q -d TEMPERATURE], fix: [Check the fans.]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import names
from gpuobs.diagnostics import Diagnostic, error, warning
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program

CODE = "alert/label-conflict"
SEVERITY = "error"


RESERVED = (names.ALERTNAME, names.OWNER, names.SEVERITY, names.TIER)


def check(program: Program) -> Iterator[Diagnostic]:
    assert program.policy is not None
    for _, alert in program.policy.all_alerts():
        for label in alert.labels:
            if label in RESERVED:
                message = f"label '{label}' is set from the tier and the owner"
                span = alert.written.at_key("labels", label)
                yield error(span, CODE, message, "remove it, or choose another tier or owner")
    for expression in expressions(program):
        # Of a rule of the specs rollup/label-conflict tells.
        if expression.alert is None and not program.foreign:
            continue
        for name, value in expression.rule.labels.items():
            if name not in RESERVED:
                yield from _overrides(expression, name, value)


def _overrides(expression: Expression, label: str, value: str) -> Iterator[Diagnostic]:
    """A label that series of the result are known to have, with several values."""
    shape = expression.result
    labels = shape.labels
    if (
        label not in labels.possible
        or labels.values.get(label) == frozenset((value,))
        or "{{" in value
    ):
        return
    place = expression.rule.place("labels", label)
    message = f"the series have a label '{label}' of their own, which this one replaces"
    hint = f"name it otherwise, or aggregate '{label}' away"
    merged = expression.world.count(labels.drop((label,)), shape.scope)
    certain = label in labels.certain and labels.possible == labels.certain
    fails = expression.alert is None and certain and None not in (merged, shape.count)
    if fails and (merged or 0) < (shape.count or 0):
        yield error(place, CODE, f"{message}: several become equal, and the rule fails", hint)
    else:
        yield warning(place, CODE, message, hint)
