"""A counter taken for a level.

A counter only grows: above 10 it stays above 10 until the driver is loaded anew, a mean of
counters weighs how long each has been counting, and neither says that anything happens now. Its
increase over a window does.

Whether a counter of events is above 0 is left alone: that asks whether it ever happened, which is right for
errors after which a GPU must be reset, though an alert on it lasts until then (for those over the
lifetime of a board for ever: take increase() there). So are rows and pages that memory lost, which
are amounts, conditions behind `and`, and quotients of counters.

Bad:

```yaml
rules:
  - record: node:gpus_with_replays:count
    expr: count by (Hostname) (DCGM_FI_DEV_PCIE_REPLAY_COUNTER > 10)
    unit: gpus
```

Good:

```yaml
rules:
  - record: node:gpus_with_replays:count
    expr: count by (Hostname) (increase(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[1h]) > 10)
    unit: gpus
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._counters import is_stock
from gpuobs.checks._values import (
    ARITHMETIC_OVER_TIME,
    ORDER,
    Threshold,
    inner,
    inside,
    is_condition,
    named,
    thresholds,
)
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql.functions import FUNCTIONS
from gpuobs.promql.nodes import Aggregate, Binary, Call, Node
from gpuobs.promql.shapes import MEAN, Shape
from gpuobs.promql.units import SECONDS

CODE = "promql/counter-without-rate"
SEVERITY = "warning"

_SPREAD = frozenset({"avg", "stddev", "stdvar", "quantile"})


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        yield from _compared(expression)
        yield from _averaged(expression)


def _compared(expression: Expression) -> Iterator[Diagnostic]:
    for threshold in thresholds(expression):
        shape = expression.analysis[threshold.series]
        if (
            shape.kind == "counter"
            and threshold.operator in ORDER
            and not (_asks_for_any(threshold) and not _is_time(shape))
            and not is_stock(expression, threshold.series)
            and not is_condition(expression, threshold.node)
        ):
            message = (
                f"'{expression.text(threshold.series)}' only grows: once it is past "
                f"{threshold.value:g} it stays there until it begins again"
            )
            yield expression.warning(threshold.node, CODE, message, _hint(expression, threshold))


def _is_time(shape: Shape) -> bool:
    """Whether it counts time: what was held back for a moment once is no fault for ever."""
    return shape.unit is not None and shape.unit.dimensions == SECONDS.dimensions


def _asks_for_any(threshold: Threshold) -> bool:
    """Whether the threshold lies between nothing and the first event."""
    if threshold.operator in (">", "<="):
        return threshold.value < 1
    return threshold.value <= 1


def _averaged(expression: Expression) -> Iterator[Diagnostic]:
    for node, of in _spreads(expression):
        shape = expression.analysis[of]
        raw = shape.kind == "counter" and not is_stock(expression, of)
        if raw and not _is_used_otherwise(expression, node):
            message = (
                f"{node.function.text}() of the counter '{named(expression, of)}' "
                "says how long it has been counting"
            )
            yield expression.warning(node, CODE, message, "take rate() of the counter first")


def _spreads(expression: Expression) -> Iterator[tuple[Aggregate | Call, Node]]:
    for node in expression.analysis.of(Aggregate):
        means = node.name != "avg" or MEAN in expression.analysis[node].traits
        if node.name in _SPREAD and means:
            yield node, node.expr
    for call in expression.analysis.of(Call):
        if call.name in ARITHMETIC_OVER_TIME:
            yield call, inner(call.args[-1])


def _is_used_otherwise(expression: Expression, node: Node) -> bool:
    """Whether it is a part of a quotient, or of a rate, of which another check speaks."""
    return any(
        (isinstance(each, Binary) and each.name == "/")
        or (isinstance(each, Call) and FUNCTIONS[each.name].wants == "counter")
        for each in expression.analysis.ancestors(node)
    )


def _hint(expression: Expression, threshold: Threshold) -> str:
    spelt = inside(expression.parsed.text, threshold.series, "increase", "1h")
    if spelt is None:
        return "compare its increase() over a window"
    return f"{spelt} {threshold.operator} {threshold.value:g}"
