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

from gpuobs.checks._labels import (
    Use,
    another_domain,
    exporters_own,
    hint,
    metric,
    missing,
    own_label_hint,
    removed_by,
    uses,
)
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.nearest import nearest
from gpuobs.promql import Selector, selectors
from gpuobs.promql.labelset import NAME
from gpuobs.promql.shapes import Shape

CODE = "promql/unknown-label"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for selector in selectors(expression.parsed):
            yield from _matchers(expression, selector)
        for use in missing(expression):
            if removed_by(expression, use.label, use.operand) is None:
                name = metric(use)
                yield _unknown(expression, use.at, name, use.label)
        for use in uses(expression):
            yield from _of_the_exporter(expression, use)


def _matchers(expression: Expression, selector: Selector) -> Iterator[Diagnostic]:
    shape = expression.world.metric(selector.name) if selector.name else None
    for matcher in selector.matchers if shape is not None else ():
        wants_none = matcher.op == "=" and not matcher.value
        known = _can_have(expression, selector.name, shape, matcher.label)
        added = _is_added(expression, selector.name, shape, matcher.label)
        if not known and not wants_none and not added:
            at = matcher.label_start, matcher.label_end
            yield _unknown(expression, at, selector.name, matcher.label)


def _can_have(expression: Expression, name: str, shape: Shape | None, label: str) -> bool:
    assert expression.program.policy is not None
    collected = expression.program.policy.collected.get(name)
    if collected is not None and collected.metric.label_prefixes:
        return label == NAME or collected.can_have(label)
    return label == NAME or shape is None or shape.labels.can_have(label)


def _is_added(expression: Expression, name: str, shape: Shape | None, label: str) -> bool:
    """Whether the scrape may add a label of which nothing is known, and which is not likely one without its prefix."""
    program = expression.program
    assert program.policy is not None
    collected = program.policy.collected.get(name)
    prefixed = collected is not None and collected.metric.label_prefixes
    known = shape is not None and nearest(label, shape.labels.possible)
    return program.foreign and label not in program.policy.label_names and not (known or prefixed)


def _unknown(expression: Expression, at: tuple[int, int], name: str, label: str) -> Diagnostic:
    what = f"series of '{name}'" if name else "these series"
    message = f"{what} have no label '{label}'"
    return expression.error(at, CODE, message, hint(expression, name, label))


def _of_the_exporter(expression: Expression, use: Use) -> Iterator[Diagnostic]:
    """Without honorLabels `pod` is the exporter's own; where a join meets another one, it is told as such."""
    own = exporters_own(expression, use.label, use.operand)
    if own and not another_domain(expression, use):
        message = f"'{use.label}' of '{metric(use)}' is the exporter's own, and not the workload's"
        hint = own_label_hint(expression, use)
        yield expression.error(use.at, CODE, message, hint)
