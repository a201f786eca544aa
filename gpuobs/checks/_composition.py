"""What an aggregate is made of, for checks of what does not compose."""

from __future__ import annotations

from dataclasses import dataclass

from gpuobs import promql
from gpuobs.expressions import Expression
from gpuobs.ir import RecordingRule
from gpuobs.promql import nodes
from gpuobs.promql.nodes import Aggregate, Binary, Node, Select


def inner(expression: Expression, node: Node, trait: str) -> str:
    """The deepest part that has a trait: where it comes from."""
    found = node
    for below in nodes.walk(node):
        if trait in expression.analysis[below].traits:
            found = below
    return expression.text(found)


@dataclass(frozen=True, slots=True)
class Division:
    """A division of two vectors, one to one; `text` is that of the expression that it stands in."""

    node: Binary
    text: str

    def side(self, node: Node) -> str:
        node = nodes.bare(node)
        return " ".join(self.text[node.start : node.end].split())


def division(expression: Expression, node: Node) -> Division | None:
    """The division that an operand is, or that a rule records under its name."""
    node = nodes.bare(node)
    if isinstance(node, Select):
        return _recorded(expression, node) if expression.analysis[node].unit is not None else None
    return _division(node, expression.parsed.text)


def _recorded(expression: Expression, node: Select) -> Division | None:
    rules = [
        rule
        for file in (*expression.program.rule_files, *expression.program.known)
        for rule in file.rules
        if isinstance(rule, RecordingRule) and rule.record == node.selector.name
    ]
    parsed = promql.parse(rules[0].expr, expression.program.version) if len(rules) == 1 else None
    if not isinstance(parsed, promql.Parsed) or node.selector.matchers:
        return None
    return _division(nodes.bare(parsed.tree), parsed.text)


def _division(node: Node, text: str) -> Division | None:
    plain = isinstance(node, Binary) and node.name == "/" and node.group is None
    return Division(node, text) if plain and isinstance(node, Binary) else None


def summed(expression: Expression, node: Aggregate, ratio: Division) -> str:
    """The aggregate with its numerators and denominators added up."""
    grouping = node.grouping
    by = f" {expression.parsed.text[grouping.start : grouping.end]} " if grouping else ""
    return " / ".join(f"sum{by}({ratio.side(side)})" for side in (ratio.node.lhs, ratio.node.rhs))
