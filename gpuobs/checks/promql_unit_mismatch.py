"""Values in two units that are added or compared.

Percent with ratios, mebibytes with bytes, millijoules with joules: the numbers differ by a factor that
no server knows of. Units come from the catalogs, through all arithmetic; a literal number fits any, but for
a threshold below 1 on a percentage that goes to 100, and a quantile above 1.

Bad:

```yaml
rules:
  - record: node:sm_gap:max
    expr: max by (Hostname) (DCGM_FI_DEV_GPU_UTIL - DCGM_FI_PROF_SM_ACTIVE)
    unit: ''
```

Good:

```yaml
rules:
  - record: node:sm_gap:max
    expr: max by (Hostname) (DCGM_FI_DEV_GPU_UTIL / 100 - DCGM_FI_PROF_SM_ACTIVE)
    unit: ratio
```
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpuobs.checks._factors import wrong
from gpuobs.checks._values import thresholds
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program, RecordingRule
from gpuobs.promql import nodes, units
from gpuobs.promql.nodes import Aggregate, Binary, Call
from gpuobs.promql.operands import COMPARISONS
from gpuobs.promql.shapes import FILTERED
from gpuobs.promql.shares import within
from gpuobs.promql.units import SECONDS, UNIX, Unit

CODE = "promql/unit-mismatch"
SEVERITY = "error"
_PERCENT = units.named("percent")
# Below it, a threshold says that something is idle or empty.
_LEAST = 0.05
_QUANTILES = frozenset({"quantile_over_time", "histogram_quantile"})


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for node in expression.analysis.of(Binary):
            yield from _operands(expression, node)
        yield from _fractions(expression)
        yield from _quantiles(expression)
        yield from _declared(expression)


def _operands(expression: Expression, node: Binary) -> Iterator[Diagnostic]:
    left, right = expression.analysis[node.lhs], expression.analysis[node.rhs]
    have, other = left.unit, right.unit
    if have is None or other is None or have.fits(other) or not _meet(expression, node):
        return
    if node.name in ("+", "-") and (have, other) == (UNIX, SECONDS):
        return
    message = (
        f"'{expression.text(node.lhs)}' is in {have}, and '{expression.text(node.rhs)}' in {other}"
    )
    yield expression.error(node, CODE, message, _hint(expression, node, have, other))


def _meet(expression: Expression, node: Binary) -> bool:
    """Whether the operator puts the values of both sides on one scale; branches of a condition stay apart."""
    if node.name == "or":
        sides = (expression.analysis[node.lhs], expression.analysis[node.rhs])
        return not any(FILTERED in side.traits for side in sides)
    literal = nodes.constant(node.lhs) is not None or nodes.constant(node.rhs) is not None
    return not literal and (node.name in COMPARISONS or node.name in ("+", "-"))


def _hint(expression: Expression, node: Binary, have: Unit, other: Unit) -> str:
    factor = units.conversion(other, have)
    if factor is None:
        return "they measure different things"
    text = expression.text(node.rhs)
    spelt = f"({text})" if isinstance(node.rhs, Binary) else text
    return f"write '{spelt} {units.spelt(factor)}'"


def _fractions(expression: Expression) -> Iterator[Diagnostic]:
    """A percentage of something bounded, compared with what reads as a ratio; a share of errors can be that small."""
    for found in thresholds(expression):
        shape = expression.analysis[found.series]
        if shape.unit == _PERCENT and within(shape).high == 100 and _LEAST <= found.value < 1:
            message = (
                f"'{expression.text(found.series)}' is in percent: {found.value:g} is less than 1 %"
            )
            hint = f"for {100 * found.value:g} % write {100 * found.value:g}"
            yield expression.warning(found.node, CODE, message, hint)


def _quantiles(expression: Expression) -> Iterator[Diagnostic]:
    """Percentiles, where quantiles are asked for."""
    found = [
        *((n.name, n.parameter) for n in expression.analysis.of(Aggregate) if n.name == "quantile"),
        *((n.name, n.args[0]) for n in expression.analysis.of(Call) if n.name in _QUANTILES),
    ]
    for name, parameter in found:
        value = nodes.constant(parameter) if parameter is not None else None
        if parameter is None or value is None or math.isnan(value) or 0 <= value <= 1:
            continue
        infinite = "+Inf" if value > 1 else "-Inf"
        message = f"a quantile goes from 0 to 1: '{name}' of {value:g} is always {infinite}"
        hint = f"for the {value:g}th percentile write {value / 100:g}" if 1 < value <= 100 else ""
        yield expression.error(parameter, CODE, message, hint)


def _declared(expression: Expression) -> Iterator[Diagnostic]:
    """A plain rule that says another unit than its expression has."""
    rule, have = expression.rule, expression.result.unit
    wanted = units.named(rule.unit) if isinstance(rule, RecordingRule) else None
    if wanted is None or have is None or have.fits(wanted) or any(wrong(expression)):
        return
    assert isinstance(rule, RecordingRule)
    message = f"'{rule.record}' is said to be in {rule.unit}, and this is in {have}"
    factor, text = units.conversion(have, wanted), expression.text(expression.parsed.tree)
    hint = f"unit: {have}" if factor is None else f"write '({text}) {units.spelt(factor)}'"
    yield expression.error(expression.parsed.tree, CODE, message, hint)
