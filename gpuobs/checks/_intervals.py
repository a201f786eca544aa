"""Ranges with the time between the samples in them, where that is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuobs.checks._values import operand
from gpuobs.expressions import Expression
from gpuobs.promql.nodes import Call, Select, Subquery, Window, bare


@dataclass(frozen=True, slots=True)
class Range:
    """A range that a function is applied to, with `every` seconds between two samples."""

    function: str
    node: Select | Subquery
    window: Window
    every: float

    @property
    def at(self) -> tuple[int, int]:
        return self.window.start, self.window.end


def ranges(expression: Expression) -> Iterator[Range]:
    """Every range of which the interval of the samples is known."""
    for call in expression.analysis.of(Call):
        argument = operand(call)
        node = bare(argument) if argument is not None else None
        if isinstance(node, Select | Subquery) and node.window is not None:
            seconds = interval(expression, node)
            if seconds:
                yield Range(call.name, node, node.window, seconds)


def interval(expression: Expression, node: Select | Subquery) -> float:
    """Seconds between two samples; 0 where it is not known.

    The fleet's scrape interval is that of the GPU exporters: others may be scraped at any.
    """
    if isinstance(node, Subquery):
        return node.window.step or expression.world.evaluation_interval
    policy = expression.program.policy
    found = policy.collected.get(node.selector.name) if policy is not None else None
    recorded = node.selector.name in expression.program.records
    if recorded or (found is not None and found.exporter.catalog.vendor):
        return expression.analysis[node].every
    return 0
