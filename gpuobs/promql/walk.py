"""The parser's tree by its attributes. Its own walk clones every subtree, and its `str` changes meaning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_MATCH_OPERATORS = {"Equal": "=", "NotEqual": "!=", "Re": "=~", "NotRe": "!~"}


def kind(node: Any) -> str:
    return type(node).__name__


def operator(node: Any) -> str:
    """A binary operator or an aggregation by name, in lower case."""
    return str(node.op).lower()


def matcher_operator(matcher: Any) -> str:
    return _MATCH_OPERATORS[str(matcher.op).rpartition(".")[2]]


def children(node: Any) -> tuple[Any, ...]:
    """The nodes directly below a node, in the order of the text where it matters."""
    name = kind(node)
    if name == "BinaryExpr":
        return node.lhs, node.rhs
    if name == "AggregateExpr":
        return (node.expr,) if node.param is None else (node.param, node.expr)
    if name == "Call":
        return tuple(node.args)
    if name in ("ParenExpr", "UnaryExpr", "SubqueryExpr"):
        return (node.expr,)
    if name == "MatrixSelector":
        return (node.vector_selector,)
    return ()


def walk(node: Any) -> Iterator[Any]:
    """Every node below and with a node, parents first."""
    pending = [node]
    while pending:
        node = pending.pop()
        yield node
        pending += reversed(children(node))
