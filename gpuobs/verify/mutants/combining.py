"""Mutations of sets: `and`, `or` and `unless`, aggregations, and the labels that they keep."""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.promql import Grouping, Parsed
from gpuobs.promql.nodes import Aggregate, Binary, Call, Node, walk
from gpuobs.verify.mutants.comparing import IsWhole
from gpuobs.verify.mutants.edits import Edit, operand, replaced

_SETS = {"and": ("unless",), "unless": ("and",), "or": ("and",)}
_AGGREGATIONS = {
    "max": ("min", "avg"),
    "min": ("max", "avg"),
    "sum": ("avg", "count"),
    "avg": ("max", "min"),
    "count": ("sum",),
    "topk": ("bottomk",),
    "bottomk": ("topk",),
}
_OVER_TIME = {
    "max_over_time": ("min_over_time", "avg_over_time"),
    "min_over_time": ("max_over_time", "avg_over_time"),
    "avg_over_time": ("max_over_time", "min_over_time"),
    "sum_over_time": ("count_over_time", "avg_over_time"),
    "count_over_time": ("sum_over_time",),
    "last_over_time": ("max_over_time", "min_over_time"),
}


def operators(parsed: Parsed, _: IsWhole) -> Iterator[Edit]:
    for node in walk(parsed.tree):
        if isinstance(node, Binary):
            span = node.operator.start, node.operator.end
            for other in _SETS.get(node.name, ()):
                yield replaced("set", parsed.text, span, other, node)


def branches(parsed: Parsed, _: IsWhole) -> Iterator[Edit]:
    """One side of `and` and `or` alone; of `unless` only the left one means the same with less."""
    for node in walk(parsed.tree):
        if not isinstance(node, Binary) or node.name not in _SETS:
            continue
        sides = [(node.lhs, node.rhs), (node.rhs, node.lhs)][: 1 if node.name == "unless" else 2]
        for kept, dropped in sides:
            text = operand(parsed.text, kept)
            short = " ".join(parsed.text[dropped.start : dropped.end].split())
            said = f"the branch '{short}' of '{node.name}' is dropped"
            place = dropped.start, dropped.end
            yield Edit("branch", node.start, node.end, text, place, said, node)


def aggregations(parsed: Parsed, _: IsWhole) -> Iterator[Edit]:
    for node in walk(parsed.tree):
        if isinstance(node, Aggregate | Call):
            table = _AGGREGATIONS if isinstance(node, Aggregate) else _OVER_TIME
            for other in table.get(node.name, ()):
                span = node.function.start, node.function.end
                yield replaced("aggregation", parsed.text, span, other, node)


def labels(parsed: Parsed, _: IsWhole) -> Iterator[Edit]:
    """Each label of `by`, `without` and `group_left` dropped."""
    for node in walk(parsed.tree):
        if isinstance(node, Aggregate):
            yield from _without_one(parsed, node, node.grouping)
        elif isinstance(node, Binary):
            yield from _without_one(parsed, node, node.group)


def _without_one(parsed: Parsed, node: Node, grouping: Grouping | None) -> Iterator[Edit]:
    for name, start, end in grouping.labels if grouping is not None else ():
        assert grouping is not None
        kept = [parsed.text[a:b] for _, a, b in grouping.labels if a != start]
        text = f"{grouping.keyword} ({', '.join(kept)})"
        said = f"'{name}' of '{grouping.keyword}' is dropped"
        yield Edit("label", grouping.start, grouping.end, text, (start, end), said, node)
