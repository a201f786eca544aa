"""What an aggregation makes of the shape of what it aggregates."""

from __future__ import annotations

import math
from collections.abc import Mapping

from gpuobs.promql import nodes
from gpuobs.promql.interval import ANY, POSITIVE, Interval
from gpuobs.promql.labelset import MADE, NONE, Labels
from gpuobs.promql.nodes import Aggregate, Node
from gpuobs.promql.shapes import FILTERED, MEAN, QUANTILE, SHARES, SUMMED, Shape, World, least
from gpuobs.promql.units import COUNT

# Kinds whose values can be added up and divided and still mean something of their own.
_AMOUNTS = frozenset({"counter", "gauge", "bucket"})


def aggregated(node: Aggregate, shapes: Mapping[Node, Shape], world: World) -> Shape:
    """The shape of the groups; topk and bottomk give series of their operand."""
    shape, name = shapes[node.expr], node.name
    if name in ("topk", "bottomk"):
        return _selected(node, shape, world)
    labels = grouped(node, shape.labels)
    groups = least(shape.count, world.count(labels, shape.scope, shape.span))
    repeats = frozenset(label for label in shape.repeats if labels.can_have(label))
    result = shape.but(
        labels=labels,
        count=groups,
        repeats=repeats,
        type="vector",
        kind=_kind(name, shape.kind),
    )
    # What was left out below is missing in its group, and an empty group has no series.
    filtered = shape.traits & {FILTERED}
    if name in ("min", "max"):
        return result
    if name in ("count", "count_values"):
        low = Interval(1.0 if name == "count" else -math.inf, float(shape.count or math.inf))
        result = result.computed(unit=COUNT, range=low, traits=filtered, kind="gauge")
        return _counted_values(node, shape.labels, result) if name == "count_values" else result
    if name == "group":
        return result.computed(unit=None, range=Interval(1, 1), traits=filtered)
    if name == "sum":
        result = result.computed(range=_sum(shape)).lacking(*SHARES).having(SUMMED)
        return result.but(amounts=shape.amounts)
    if name == "avg":
        result = result.but(range=shape.range.mean())
        return result if _one_a_group(shape, groups, labels) else result.having(MEAN)
    if name == "quantile":
        return _quantile(node, result)
    return _spread(name, result).but(traits=filtered)


def grouped(node: Aggregate, labels: Labels) -> Labels:
    """The labels of the groups."""
    if node.grouping is None:
        return NONE
    if node.grouping.keyword == "without":
        return labels.drop(node.grouping.names)
    return labels.keep(node.grouping.names)


def _selected(node: Aggregate, shape: Shape, world: World) -> Shape:
    most = nodes.constant(node.parameter) if node.parameter is not None else None
    groups = world.count(grouped(node, shape.labels), shape.scope, shape.span)
    if most is None or math.isnan(most) or groups is None:
        return shape
    bound = groups * math.ceil(max(0, most)) if most < 1e9 else None
    return shape.but(count=least(shape.count, bound))


def _kind(name: str, kind: str) -> str:
    if name in ("min", "max"):
        return kind
    if name in ("sum", "avg") and kind in _AMOUNTS:
        return kind
    return "unknown" if kind == "unknown" else "gauge"


def _counted_values(node: Aggregate, labels: Labels, result: Shape) -> Shape:
    """Each value becomes a label before the series are grouped: `without` can take it away again, `by` has it."""
    label = nodes.bare(node.parameter) if node.parameter is not None else None
    name = label.value if isinstance(label, nodes.String) else ""
    found = grouped(node, labels.with_label(name, origin=MADE))
    if node.by is not None:
        found = found.with_label(name, origin=MADE)
    return result.but(labels=found, count=None, range=Interval(1.0, result.range.high))


def _sum(shape: Shape) -> Interval:
    low, high = shape.range.low, shape.range.high
    most = math.inf if shape.count is None else float(max(shape.count, 1))
    low = low if low >= 0 else low * most
    high = high if high <= 0 else high * most
    both = math.isinf(shape.range.low) and math.isinf(shape.range.high)
    return Interval(low, high, shape.range.nan or both)


def _one_a_group(shape: Shape, groups: int | None, labels: Labels) -> bool:
    """Whether every group has one series: a mean of it is the value itself."""
    same = shape.count is not None and shape.count == groups
    return same and labels.certain == shape.labels.certain


def _quantile(node: Aggregate, result: Shape) -> Shape:
    value = nodes.constant(node.parameter) if node.parameter is not None else None
    if value is None or not 0 <= value <= 1:
        return result.but(range=ANY).lacking(*SHARES).having(QUANTILE)
    return result.but(range=result.range.interpolated()).having(QUANTILE)


def _spread(name: str, result: Shape) -> Shape:
    unit = (
        result.unit.times(result.unit)
        if result.unit is not None and name == "stdvar"
        else result.unit
    )
    # Half of the values at each end spread the most.
    most = (result.range.high - result.range.low) / 2
    if math.isfinite(most) and most >= 0:
        spread = Interval(0.0, most if name == "stddev" else most**2, result.range.nan)
    else:
        spread = Interval(0.0, POSITIVE.high, True)
    return result.computed(range=spread, unit=unit)
