"""What an aggregate is made of, for checks of what does not compose."""

from __future__ import annotations

from gpuobs.expressions import Expression
from gpuobs.promql import nodes
from gpuobs.promql.nodes import Aggregate, Binary, Node


def inner(expression: Expression, node: Node, trait: str) -> str:
    """The deepest part that has a trait: where it comes from."""
    found = node
    for below in nodes.walk(node):
        if trait in expression.analysis[below].traits:
            found = below
    return expression.text(found)


def division(node: Node) -> Binary | None:
    """The division of two vectors, one to one, that an operand is."""
    node = nodes.bare(node)
    plain = isinstance(node, Binary) and node.name == "/" and node.group is None
    return node if plain and isinstance(node, Binary) else None


def summed(expression: Expression, node: Aggregate, ratio: Binary) -> str:
    """The aggregate with its numerators and denominators added up."""
    grouping = node.grouping
    by = f" {expression.parsed.text[grouping.start : grouping.end]} " if grouping else ""
    parts = (expression.text(nodes.bare(side)) for side in (ratio.lhs, ratio.rhs))
    return " / ".join(f"sum{by}({part})" for part in parts)
