"""What counters are: flows, of which only the increase means something, and stocks, which are amounts."""

from __future__ import annotations

from gpuobs.checks._values import collected
from gpuobs.expressions import Expression
from gpuobs.promql.shapes import Shape

_STOCKS = frozenset({"rows", "pages", "banks"})


def is_stock(expression: Expression, shape: Shape) -> bool:
    """Whether a counter says how much of a GPU's memory is out of use: its level is what counts."""
    found = collected(expression, shape)
    return found is not None and found.metric.per == "gpu" and found.metric.unit in _STOCKS
