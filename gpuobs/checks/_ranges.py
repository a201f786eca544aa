"""What a comparison of two intervals of values gives."""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.expressions import Expression
from gpuobs.promql.interval import Interval
from gpuobs.promql.nodes import Binary
from gpuobs.promql.operands import COMPARISONS
from gpuobs.promql.shapes import Shape
from gpuobs.promql.units import RATIO


def comparisons(expression: Expression) -> Iterator[Binary]:
    """Comparisons of which both sides can have values at all."""
    for node in expression.analysis.of(Binary):
        if node.name in COMPARISONS:
            sides = (expression.analysis[node.lhs], expression.analysis[node.rhs])
            if not any(side.range.empty for side in sides):
                yield node


def never(operator: str, left: Interval, right: Interval) -> bool:
    """Whether no two values compare so; NaN compares with nothing but by `!=`."""
    if operator == "!=":
        return _same(left, right) and not left.nan
    return {
        ">": left.high <= right.low,
        ">=": left.high < right.low,
        "<": left.low >= right.high,
        "<=": left.low > right.high,
        "==": left.high < right.low or left.low > right.high,
    }[operator]


def always(operator: str, left: Interval, right: Interval) -> bool:
    """Whether all values compare so."""
    if left.nan or right.nan:
        return False
    return {
        ">": left.low > right.high,
        ">=": left.low >= right.high,
        "<": left.high < right.low,
        "<=": left.high <= right.low,
        "==": _same(left, right),
        "!=": left.high < right.low or left.low > right.high,
    }[operator]


def ratio_hint(left: Shape, right: Shape) -> str:
    """A percentage that a ratio is compared with."""
    value = right.range.high
    if (
        left.unit == RATIO
        and left.range.high == 1
        and right.range.low == value
        and 1 <= value <= 100
    ):
        return f"ratios go from 0 to 1; for {value:g} % write {value / 100:g}"
    return ""


def _same(left: Interval, right: Interval) -> bool:
    return left.low == left.high == right.low == right.high
