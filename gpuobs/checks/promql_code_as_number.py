"""Arithmetic on a code.

`DCGM_FI_DEV_XID_ERRORS` holds the number of the last XID, until the driver is loaded anew. Above 0
it means that there was one at some time, most of which (13, 31, 43, 45) come from applications; a
mean or a sum of such numbers, or of a state such as that of the fabric manager, means nothing. The
code itself is what to compare with. Whether a state is beyond another one is left alone, for
some are in an order of severity, and so are max and min, which only pick one.

Bad:

```yaml
rules:
  - record: node:gpus_with_xid:count
    expr: count by (Hostname) (DCGM_FI_DEV_XID_ERRORS > 0)
    unit: gpus
```

Good:

```yaml
rules:
  - record: node:gpus_with_xid:count
    expr: count by (Hostname) (DCGM_EXP_XID_ERRORS_COUNT{xid!=""} > 0)
    unit: gpus
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._codes import is_picked, level_hint
from gpuobs.checks._values import (
    ARITHMETIC,
    ARITHMETIC_OVER_TIME,
    ORDER,
    SLOPES,
    inner,
    named,
    thresholds,
)
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql.nodes import Aggregate, Call, Node

CODE = "promql/code-as-number"
SEVERITY = "error"

_CODES = frozenset({"code", "latched-code"})


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        yield from _compared(expression)
        yield from _computed(expression)


def _compared(expression: Expression) -> Iterator[Diagnostic]:
    for threshold in thresholds(expression):
        shape = expression.analysis[threshold.series]
        ordered = threshold.operator in ORDER
        if shape.kind == "latched-code" and ordered and not is_picked(threshold.series):
            message = (
                f"'{expression.text(threshold.series)}' is the number of the last error, whichever "
                f"it was: '{threshold.operator} {threshold.value:g}' says nothing of what happens"
            )
            hint = level_hint(expression, threshold.series, shape)
            yield expression.error(threshold.node, CODE, message, hint)


def _computed(expression: Expression) -> Iterator[Diagnostic]:
    for node, of in _calculations(expression):
        if expression.analysis[of].kind in _CODES:
            message = (
                f"{node.function.text}() of '{named(expression, of)}' computes with codes, "
                "whose numbers are names"
            )
            yield expression.error(node, CODE, message, _hint(expression, of))


def _hint(expression: Expression, of: Node) -> str:
    shape = expression.analysis[of]
    if shape.kind == "latched-code":
        return level_hint(expression, of, shape)
    return f"count those with one code, such as count({named(expression, of)} == 2)"


def _calculations(expression: Expression) -> Iterator[tuple[Aggregate | Call, Node]]:
    for node in expression.analysis.of(Aggregate):
        if node.name in ARITHMETIC:
            yield node, node.expr
    for call in expression.analysis.of(Call):
        if call.name in ARITHMETIC_OVER_TIME or call.name in SLOPES:
            argument = call.args[1] if call.name == "quantile_over_time" else call.args[0]
            yield call, inner(argument)
