"""Divisions that are shares: a part over the whole that it belongs to, or a quantity over its limit."""

from __future__ import annotations

import math
from collections.abc import Mapping

from gpuobs.promql import nodes
from gpuobs.promql.interval import Interval
from gpuobs.promql.nodes import Aggregate, Binary, Call, Node, Select, Subquery
from gpuobs.promql.shapes import LIMITED, SHARE, SHARES, Shape, World
from gpuobs.promql.units import Unit

# Of values that are each at most as large as another: these are so too.
_AGGREGATES = frozenset({"sum", "avg", "min", "max"})
_OVER_TIME = frozenset({"sum_over_time", "avg_over_time", "min_over_time", "max_over_time"})
# A quantity passes its limit by little.
_MOST = {SHARE: 1.0, LIMITED: 2.0}


def divided(
    node: Binary, unit: Unit | None, shapes: Mapping[Node, Shape], world: World
) -> frozenset[str]:
    """The trait of a division of two vectors, if it is a share; a percentage is one where its unit says so."""
    factor, part = _factor(nodes.bare(node.lhs))
    found = _share(part, node.rhs, shapes, world)
    fits = unit is not None and _close(unit.scale * factor, 1)
    return frozenset({found}) if found and fits else frozenset()


def _factor(node: Node) -> tuple[float, Node]:
    """A literal that a node is multiplied with, and what is multiplied."""
    if isinstance(node, Binary) and node.name == "*":
        left, right = nodes.constant(node.lhs), nodes.constant(node.rhs)
        if left is not None:
            return left, node.rhs
        if right is not None:
            return right, node.lhs
    return 1.0, node


def _share(part: Node, whole: Node, shapes: Mapping[Node, Shape], world: World) -> str:
    """Which share a part is of a whole: both sides must select the same series and do the same with them."""
    part, whole = nodes.bare(part), nodes.bare(whole)
    if isinstance(whole, Binary) and whole.name == "+":
        return SHARE if _is_part_of_sum(part, whole, shapes) else ""
    if isinstance(part, Select) and isinstance(whole, Select):
        same = _selection(part) == _selection(whole)
        return world.share(part.selector.name, whole.selector.name) if same else ""
    if isinstance(part, Aggregate) and isinstance(whole, Aggregate):
        same = part.name == whole.name and _grouping(part) == _grouping(whole)
        within = same and part.name in _AGGREGATES
        return _share(part.expr, whole.expr, shapes, world) if within else ""
    if isinstance(part, Call) and isinstance(whole, Call):
        within = part.name == whole.name and part.name in _OVER_TIME
        return _share(part.args[0], whole.args[0], shapes, world) if within else ""
    if isinstance(part, Subquery) and isinstance(whole, Subquery):
        return _share(part.expr, whole.expr, shapes, world) if _span(part) == _span(whole) else ""
    return ""


def kept(node: Binary, left: Shape, right: Shape, unit: Unit) -> frozenset[str]:
    """What arithmetic with a literal leaves of a share: it goes on being one as a percentage, and so does its rest."""
    first, second = nodes.constant(node.lhs), nodes.constant(node.rhs)
    shape, literal = (right, first) if first is not None else (left, second)
    traits = SHARES & shape.traits
    if not traits or not literal or shape.unit is None:
        return frozenset()
    if node.name == "-" and first is not None:
        return traits & {SHARE} if _close(literal * shape.unit.scale, 1) else frozenset()
    if node.name == "*":
        return traits if _close(shape.unit.scale, unit.scale * literal) else frozenset()
    if node.name == "/" and first is None:
        return traits if _close(shape.unit.scale * literal, unit.scale) else frozenset()
    return frozenset()


def within(shape: Shape) -> Interval:
    """The values that a shape can have in practice: those of shares have an end that arithmetic does not see."""
    most = next((most for trait, most in _MOST.items() if trait in shape.traits), None)
    if most is None or shape.unit is None or shape.unit.dimensions or shape.range.empty:
        return shape.range
    return shape.range.within(0.0, most / shape.unit.scale)


def _is_part_of_sum(part: Node, whole: Node, shapes: Mapping[Node, Shape]) -> bool:
    terms = list(_terms(whole))
    positive = all(shapes[each].range.low >= 0 for each in terms)
    return positive and any(_alike(part, each) for each in terms)


def _terms(node: Node) -> list[Node]:
    """What a sum adds up."""
    node = nodes.bare(node)
    if isinstance(node, Binary) and node.name == "+":
        return [*_terms(node.lhs), *_terms(node.rhs)]
    return [node]


def _alike(a: Node, b: Node) -> bool:
    """Whether two nodes compute the same."""
    a, b = nodes.bare(a), nodes.bare(b)
    below = list(zip(nodes.children(a), nodes.children(b), strict=False))
    return _own(a) == _own(b) and all(_alike(*pair) for pair in below)


def _own(node: Node) -> object:
    """What a node is apart from those below it."""
    if isinstance(node, Select):
        return node.selector.name, _selection(node)
    if isinstance(node, Aggregate):
        return node.name, _grouping(node), len(nodes.children(node))
    if isinstance(node, Call):
        return node.name, len(node.args)
    if isinstance(node, Subquery):
        return _span(node)
    if isinstance(node, nodes.Number | nodes.String):
        return node.value
    return node  # alike to itself only


def _selection(node: Select) -> object:
    matchers = frozenset((m.label, m.op, m.value) for m in node.selector.matchers)
    window = node.window and node.window.seconds
    return matchers, window, node.offset, node.at


def _span(node: Subquery) -> object:
    return node.window.seconds, node.window.step, node.offset, node.at


def _grouping(node: Aggregate) -> object:
    if node.grouping is None:
        return "by", frozenset[str]()
    return node.grouping.keyword, frozenset(node.grouping.names)


def _close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9)
