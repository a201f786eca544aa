"""What a comparison of two intervals of values gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuobs.expressions import Expression
from gpuobs.promql import nodes, units
from gpuobs.promql.interval import Interval
from gpuobs.promql.nodes import Binary, Node
from gpuobs.promql.operands import COMPARISONS
from gpuobs.promql.operators import MIRRORED
from gpuobs.promql.shapes import Shape
from gpuobs.promql.shares import within
from gpuobs.promql.units import RATIO

# Scales that thresholds are mistaken in, the base unit first.
_SCALES = (1.0, 1e3, 1024.0, 1e6, 1024.0**2, 1e-3, 1e-6, 1e-9)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison read with what is compared on the left: a literal stands on the right."""

    node: Binary
    operator: str
    left: Node
    right: Node
    shape: Shape
    values: Interval
    others: Interval


def comparisons(expression: Expression) -> Iterator[Comparison]:
    """Comparisons of which both sides can have values at all."""
    for node in expression.analysis.of(Binary):
        if node.name not in COMPARISONS:
            continue
        operator, left, right = node.name, node.lhs, node.rhs
        if nodes.constant(left) is not None:
            operator, left, right = MIRRORED[operator], right, left
        shape, other = expression.analysis[left], expression.analysis[right]
        found = Comparison(node, operator, left, right, shape, within(shape), within(other))
        if not found.values.empty and not found.others.empty:
            yield found


def told(expression: Expression, found: Comparison, how: str) -> str:
    """A finding: the values that there are, and that they are never, or always, beyond the threshold."""
    unit = found.shape.unit
    named = f" {unit}" if unit is not None and unit.is_named and unit != RATIO else ""
    return (
        f"'{expression.text(found.left)}' is {found.values}{named}: "
        f"it is {how} {found.operator} {expression.text(found.right)}"
    )


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


def hint(found: Comparison) -> str:
    """A threshold in another unit: a percentage where a ratio is meant, bytes where mebibytes are."""
    value, unit, most = found.others.high, found.shape.unit, found.values.high
    if unit is None or found.others.low != value:
        return ""
    if unit == RATIO and most <= 2 and 1 < value <= 100:
        ends = "ratios go from 0 to 1" if most == 1 else "this is about 1 at the limit"
        return f"{ends}; for {value:g} % write {value / 100:g}"
    if value <= most or not unit.dimensions:
        return ""
    for scale in _SCALES:
        converted = value * scale / unit.scale
        if scale < unit.scale and most / 10_000 <= converted <= most:
            quantity = units.spoken(value * scale, unit)
            return f"in {unit}; for {quantity} write {_written(converted)}" if quantity else ""
    return ""


def _written(value: float) -> str:
    return str(round(value)) if value >= 1000 else f"{value:.4g}"


def _same(left: Interval, right: Interval) -> bool:
    return left.low == left.high == right.low == right.high
