"""The abstract interpreter: the shape of every node of an expression, children first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from gpuobs.promql import nodes
from gpuobs.promql.aggregations import aggregated
from gpuobs.promql.function_calls import called
from gpuobs.promql.functions import MATRIX, STRING
from gpuobs.promql.interval import Interval
from gpuobs.promql.nodes import Node
from gpuobs.promql.operators import combined
from gpuobs.promql.shapes import SHARES, UNKNOWN, Shape, World, of_selector, scalar

N = TypeVar("N", bound=Node)


@dataclass(frozen=True, eq=False)
class Analysis:
    """An expression's nodes with their shapes."""

    root: Node
    shapes: Mapping[Node, Shape]

    @property
    def result(self) -> Shape:
        return self.shapes[self.root]

    def __getitem__(self, node: Node) -> Shape:
        return self.shapes[node]

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Every node, parents first, in the order of the text."""
        return tuple(self.shapes)

    def walk(self) -> Iterator[Node]:
        return iter(self.nodes)

    def of(self, kind: type[N]) -> tuple[N, ...]:
        """The nodes of one kind, in the same order."""
        return self._by_kind.get(kind, ())  # type: ignore[return-value]

    @cached_property
    def _by_kind(self) -> Mapping[type[Node], tuple[Node, ...]]:
        found: dict[type[Node], list[Node]] = {}
        for node in self.nodes:
            found.setdefault(type(node), []).append(node)
        return {kind: tuple(of_kind) for kind, of_kind in found.items()}

    @cached_property
    def parents(self) -> Mapping[Node, Node]:
        """Node to the node directly above it, brackets left out."""
        found: dict[Node, Node] = {}
        for node in self.walk():
            above = found.get(node, node) if isinstance(node, nodes.Paren) else node
            found.update(dict.fromkeys(nodes.children(node), above))
        return found

    def ancestors(self, node: Node) -> Iterator[Node]:
        """What stands around a node, from the inside out, brackets left out."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    @cached_property
    def reads(self) -> int | None:
        """Series read at one evaluation: those of every selector."""
        total = 0
        for node in self.walk():
            if isinstance(node, nodes.Select):
                count = self.shapes[node].count
                if count is None:
                    return None
                total += count
        return total


def analyse(tree: Node, world: World) -> Analysis:
    """The shape of every node."""
    shapes: dict[Node, Shape] = dict.fromkeys(nodes.walk(tree), UNKNOWN)
    for node in reversed(shapes):
        shapes[node] = _shape(node, shapes, world)
    return Analysis(tree, shapes)


def _shape(node: Node, shapes: Mapping[Node, Shape], world: World) -> Shape:
    match node:
        case nodes.Select():
            return _selected(node, world)
        case nodes.Binary():
            return combined(node, shapes, world)
        case nodes.Aggregate():
            return aggregated(node, shapes, world)
        case nodes.Call():
            return called(node, shapes)
        case nodes.Number(value=value):
            return scalar(Interval(nan=True) if value != value else Interval(value, value))
        case nodes.Subquery():
            return _subquery(node, shapes[node.expr], world)
        case nodes.Unary():
            return _signed(node, shapes[node.expr])
        case nodes.Paren():
            return shapes[node.expr]
    return Shape(type=STRING)


def _selected(node: nodes.Select, world: World) -> Shape:
    window = node.window.seconds if node.window else 0
    shape = of_selector(node.selector, world, window)
    age = shape.age + window + abs(node.offset or 0)
    return shape.but(type=MATRIX if node.window else shape.type, age=age)


def _subquery(node: nodes.Subquery, shape: Shape, world: World) -> Shape:
    step = node.window.step or world.evaluation_interval
    age = shape.age + node.window.seconds + abs(node.offset or 0)
    span = shape.span + node.window.seconds
    count = world.count(shape.labels, shape.scope, span)
    return shape.but(type=MATRIX, age=age, span=span, count=count, every=max(step, shape.every))


def _signed(node: nodes.Unary, shape: Shape) -> Shape:
    if node.operator.text == "+":
        return shape
    kind = "unknown" if shape.kind == "unknown" else "gauge"
    return shape.lacking(*SHARES).computed(range=-shape.range, kind=kind)
