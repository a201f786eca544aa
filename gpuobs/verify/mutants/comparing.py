"""Mutations of numbers: comparators, thresholds, `bool`, arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gpuobs.promql import Parsed
from gpuobs.promql.nodes import Aggregate, Binary, Call, Node, Number, bare, constant, walk
from gpuobs.verify.mutants.edits import Edit, number, replaced

# A node has whole values only.
IsWhole = Callable[[Node], bool]

COMPARATORS = {
    ">": (">=", "<"),
    ">=": (">", "<"),
    "<": ("<=", ">"),
    "<=": ("<", ">"),
    "==": ("!=",),
    "!=": ("==",),
}
_ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*"}
_SHIFT = 0.01


def comparators(parsed: Parsed, _: IsWhole) -> Iterator[Edit]:
    for node in walk(parsed.tree):
        if isinstance(node, Binary):
            token = node.operator
            for other in COMPARATORS.get(node.name, ()):
                span = token.start, token.end
                yield replaced("comparator", parsed.text, span, other, node)


def thresholds(parsed: Parsed, is_whole: IsWhole) -> Iterator[Edit]:
    """Each constant that something is compared with, and each constant series, moved to either side."""
    for node in walk(parsed.tree):
        if isinstance(node, Binary) and node.name in COMPARATORS:
            for side, other in ((node.lhs, node.rhs), (node.rhs, node.lhs)):
                value = constant(side)
                if value is not None and constant(other) is None:
                    counted = is_whole(other) or (_is_growth(other) and value == int(value))
                    yield from _moved(parsed, node, side, value, counted)
        elif isinstance(node, Call) and node.name == "vector":
            side = bare(node.args[0])
            if isinstance(side, Number):
                yield from _moved(parsed, node, side, side.value, side.value == int(side.value))


def _is_growth(node: Node) -> bool:
    """How much a counter grew: no whole number, as it is extrapolated, but one that counts."""
    node = bare(node)
    while isinstance(node, Aggregate) and node.name in ("max", "min", "sum"):
        node = bare(node.expr)
    return isinstance(node, Call) and node.name == "increase"


def _moved(parsed: Parsed, node: Node, side: Node, value: float, whole: bool) -> Iterator[Edit]:
    """By one where something is counted, else by a hundredth."""
    if value != value or abs(value) == float("inf"):
        return
    shift = 1.0 if whole else abs(value) * _SHIFT or _SHIFT
    for moved in (value - shift, value + shift):
        text = number(moved)
        span = side.start, side.end
        yield replaced("threshold", parsed.text, span, text, node)


def bools(parsed: Parsed, _: IsWhole) -> Iterator[Edit]:
    for node in walk(parsed.tree):
        if isinstance(node, Binary) and node.bool:
            token = next(
                t
                for t in parsed.tokens
                if t.start >= node.operator.end and t.text.lower() == "bool"
            )
            span = token.start, token.end
            yield Edit("bool", *span, "", span, "'bool' is dropped", node)


def arithmetic(parsed: Parsed, _: IsWhole) -> Iterator[Edit]:
    for node in walk(parsed.tree):
        if isinstance(node, Binary) and node.name in _ARITHMETIC:
            span = node.operator.start, node.operator.end
            yield replaced("arithmetic", parsed.text, span, _ARITHMETIC[node.name], node)
