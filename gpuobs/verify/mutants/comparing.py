"""Mutations of numbers: comparators, thresholds, `bool`, arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gpuobs.promql import Parsed
from gpuobs.promql.nodes import Binary, Call, Node, Number, bare, constant, walk
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
                    yield from _moved(parsed, node, side, value, is_whole(other))
        elif isinstance(node, Call) and node.name == "vector":
            side = bare(node.args[0])
            if isinstance(side, Number):
                yield from _moved(parsed, node, side, side.value, side.value == int(side.value))


def _moved(parsed: Parsed, node: Node, side: Node, value: float, whole: bool) -> Iterator[Edit]:
    """By one between whole numbers, else by a hundredth."""
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
