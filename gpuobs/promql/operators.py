"""What a binary operator makes of the shapes of its two sides."""

from __future__ import annotations

import math
from collections.abc import Mapping

from gpuobs.promql import nodes
from gpuobs.promql.functions import SCALAR, VECTOR
from gpuobs.promql.interval import ANY, Interval
from gpuobs.promql.labelset import Labels
from gpuobs.promql.nodes import Aggregate, Binary, Node
from gpuobs.promql.operands import COMPARISONS, SETS
from gpuobs.promql.shapes import (
    BLANK,
    FILTERED,
    MEAN,
    RATIO,
    SHARES,
    SUMMED,
    Shape,
    World,
    joint,
    least,
    plus,
)
from gpuobs.promql.shares import divided, kept
from gpuobs.promql.units import RATIO as DIMENSIONLESS
from gpuobs.promql.units import SECONDS, UNIX, Unit

_BOUND = {">": "low", ">=": "low", "<": "high", "<=": "high", "==": "both"}
MIRRORED = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "==": "==", "!=": "!="}


def combined(node: Binary, shapes: Mapping[Node, Shape], world: World) -> Shape:
    """The shape of a binary expression."""
    left, right = shapes[node.lhs], shapes[node.rhs]
    if node.name in SETS:
        return _set(node, left, right, world)
    if node.name in COMPARISONS:
        return _compared(node, left, right, world)
    return _computed(node, shapes, world)


def keys(node: Binary) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """The labels of `on`, None without one, and those of `ignoring`."""
    if node.matching is None:
        return None, ()
    if node.matching.keyword == "on":
        return node.matching.names, ()
    return None, node.matching.names


def _set(node: Binary, left: Shape, right: Shape, world: World) -> Shape:
    if node.name == "or":
        both = left.union(right)
        return both.but(count=plus(left.count, right.count))
    if node.name == "unless":
        return left.having(FILTERED)
    on, ignoring = keys(node)
    labels = left.labels.matched(right.labels, on, ignoring)
    count = least(left.count, world.count(labels, left.scope, left.span))
    return left.but(labels=labels, count=count).having(FILTERED)


def _compared(node: Binary, left: Shape, right: Shape, world: World) -> Shape:
    if node.bool:
        shape = _joined(node, left, right, world)
        kind = "boolean"
        return shape.computed(kind=kind, unit=None, range=Interval(0.0, 1.0), traits=frozenset())
    if left.type == SCALAR:
        narrowed = _narrowed(MIRRORED[node.name], right, left)
        return narrowed.having(FILTERED)
    shape = _joined(node, left, right, world) if right.type == VECTOR else left
    narrowed = _narrowed(node.name, left, right)
    # The values are the left side's, whichever side is the many one.
    return narrowed.but(
        labels=shape.labels, count=shape.count, scope=shape.scope, type=VECTOR
    ).having(FILTERED)


def _narrowed(operator: str, shape: Shape, other: Shape) -> Shape:
    """What a comparison leaves of the values, and of the blanks where it bounds them from above."""
    bound = _BOUND.get(operator)
    low = other.range.low if bound in ("low", "both") else -math.inf
    high = other.range.high if bound in ("high", "both") else math.inf
    narrowed = shape.but(range=shape.range.within(low, high))
    if operator == "!=":
        narrowed = shape.but(range=shape.range)
    return narrowed.lacking(BLANK) if math.isfinite(high) else narrowed


def _averaged(node: Binary) -> Node | None:
    """What a sum divided by a count of the same series, by the same labels, is the mean of."""
    part, whole = nodes.bare(node.lhs), nodes.bare(node.rhs)
    if node.name != "/" or node.matching is not None:
        return None
    if not isinstance(part, Aggregate) or not isinstance(whole, Aggregate):
        return None
    by = [each.grouping and (each.grouping.keyword, each.grouping.names) for each in (part, whole)]
    mean = (part.name, whole.name) == ("sum", "count") and by[0] == by[1]
    return part.expr if mean and nodes.alike(part.expr, whole.expr) else None


def _computed(node: Binary, shapes: Mapping[Node, Shape], world: World) -> Shape:
    left, right = shapes[node.lhs], shapes[node.rhs]
    shape = _joined(node, left, right, world)
    averaged = _averaged(node)
    if averaged is not None:
        mean = left.but(range=shapes[averaged].range.mean(), labels=shape.labels)
        return mean.but(count=shape.count).lacking(SUMMED).having(MEAN)
    ranges = _range(node.name, left.range, right.range)
    unit = _unit(node, left, right)
    traits = (left.traits | right.traits) - SHARES
    if _is_ratio(node, left, right, unit):
        traits |= {RATIO} | divided(node, unit, shapes, world)
    if unit is not None:
        traits |= kept(node, left, right, unit)
    return shape.computed(
        type=SCALAR if left.type == right.type == SCALAR else VECTOR,
        kind=_kind(node, left, right),
        unit=unit,
        range=ranges,
        traits=traits,
        repeats=left.repeats | right.repeats,
    ).but(amounts=_amounts(node, left, right))


def _amounts(node: Binary, left: Shape, right: Shape) -> frozenset[str]:
    """A multiple of something is an amount of it."""
    literal = nodes.constant(node.lhs) is not None or nodes.constant(node.rhs) is not None
    multiple = literal and (node.name == "*" or (node.name == "/" and left.type == VECTOR))
    return left.amounts | right.amounts if multiple else frozenset()


def _is_ratio(node: Binary, left: Shape, right: Shape, unit: Unit | None) -> bool:
    """A part divided by its own whole; parts of one whole are matched many to one, and their ratios add up."""
    vectors = left.type == right.type == VECTOR
    plain = node.name == "/" and node.group is None
    return vectors and plain and (unit is None or not unit.dimensions)


def _joined(node: Binary, left: Shape, right: Shape, world: World) -> Shape:
    """Labels and number of series of two sides that are matched one to one, or one to many."""
    if left.type == SCALAR:
        return right
    if right.type == SCALAR:
        return left
    on, ignoring = keys(node)
    many, one = (
        (right, left) if node.group and node.group.keyword == "group_right" else (left, right)
    )
    labels = many.labels.matched(one.labels, on, ignoring)
    if node.group is not None:
        for label in node.group.names:
            labels = _included(labels, one.labels, label)
    elif on is not None:
        labels = labels.keep(on)
    else:
        labels = labels.drop(ignoring)
    bound = least(many.count, None if node.group else one.count)
    return many.but(
        labels=labels,
        count=least(bound, world.count(labels, many.scope, many.span)),
        scope=joint(many.scope, one.scope) if node.group and node.group.names else many.scope,
        age=max(left.age, right.age),
        every=max(left.every, right.every),
    )


def _included(labels: Labels, one: Labels, label: str) -> Labels:
    """A label that group_left takes over from the one side, which may lack it."""
    if not one.can_have(label):
        return labels.drop((label,))
    return labels.with_label(label, one.values.get(label), label in one.certain, one.origin(label))


def _range(operator: str, left: Interval, right: Interval) -> Interval:
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    if operator == "/":
        return left / right
    if operator == "%":
        return _remainder(left, right)
    if operator == "atan2":
        return Interval(-math.pi, math.pi, left.nan or right.nan)
    return _power(left, right)


def _remainder(left: Interval, right: Interval) -> Interval:
    """Of the sign of the left side and smaller than the right one; NaN for a division by 0 and of what is infinite."""
    most = max(abs(right.low), abs(right.high))
    low = 0.0 if left.low >= 0 else max(left.low, -most)
    high = 0.0 if left.high <= 0 else min(left.high, most)
    return Interval(low, high, left.nan or right.nan or 0 in right or left.infinite)


def _power(left: Interval, right: Interval) -> Interval:
    nan = left.nan or right.nan
    if 0 <= left.low <= left.high and 0 <= right.low == right.high:
        try:
            return Interval(left.low**right.low, left.high**right.low, nan)
        except OverflowError:
            return Interval(0.0, math.inf, nan)
    return Interval(0.0, math.inf, nan) if left.low >= 0 else ANY


def _kind(node: Binary, left: Shape, right: Shape) -> str:
    """A multiple of a counter is one, and so is the sum of two; what remains of a code or a bitmask is a plain number."""
    factor = right if nodes.constant(node.rhs) is not None else left
    other = left if factor is right else right
    if nodes.constant(node.lhs) is not None or nodes.constant(node.rhs) is not None:
        if node.name in ("*", "/", "+", "-") and other.kind in ("counter", "bucket"):
            return other.kind
        if node.name == "/" and other.kind == "bitmask":
            return "bits"
        return "unknown" if other.kind == "unknown" else "gauge"
    if left.kind == right.kind == "counter" and node.name in ("+", "-"):
        return "counter" if node.name == "+" else "gauge"
    info = node.name == "*" and "info" in (left.kind, right.kind)
    if info:
        return left.kind if right.kind == "info" else right.kind
    return "unknown" if "unknown" in (left.kind, right.kind) else "gauge"


def _unit(node: Binary, left: Shape, right: Shape) -> Unit | None:
    lhs, rhs = nodes.constant(node.lhs), nodes.constant(node.rhs)
    name = node.name
    if name in ("*", "/"):
        if rhs is not None:
            factor = rhs if name == "*" else (1 / rhs if rhs else 0)
            return left.unit.scaled(factor) if left.unit is not None else None
        if lhs is not None and name == "*":
            return right.unit.scaled(lhs) if right.unit is not None else None
        if left.unit is None and lhs is not None and right.unit is not None:
            return DIMENSIONLESS.times(right.unit, -1)
        if left.unit is None or right.unit is None:
            return _by_info(name, left, right)
        return left.unit.times(right.unit, 1 if name == "*" else -1)
    if name in ("+", "-"):
        if lhs is not None or rhs is not None:
            return left.unit if rhs is not None else right.unit
        if name == "-" and left.unit == right.unit == UNIX:
            return SECONDS
        if left.unit == UNIX and right.unit == SECONDS:
            return UNIX
        return left.unit if left.unit == right.unit else None
    return left.unit if name == "%" else None


def _by_info(operator: str, left: Shape, right: Shape) -> Unit | None:
    """A product with a series of 1, such as an info metric, keeps the unit."""
    if operator == "*" and right.kind == "info":
        return left.unit
    return right.unit if operator == "*" and left.kind == "info" else None
