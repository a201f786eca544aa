"""Values in two units that are added or compared.

Percent with ratios, mebibytes with bytes, millijoules with joules: the numbers differ by a factor that
no server knows of. Units come from the catalogs, through all arithmetic; a literal number fits any.

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

from collections.abc import Iterator

from gpuobs.checks._factors import wrong
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program, RecordingRule
from gpuobs.promql import nodes, units
from gpuobs.promql.nodes import Binary
from gpuobs.promql.operands import COMPARISONS
from gpuobs.promql.shapes import FILTERED
from gpuobs.promql.units import SECONDS, UNIX, Unit

CODE = "promql/unit-mismatch"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for node in expression.analysis.of(Binary):
            yield from _operands(expression, node)
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
