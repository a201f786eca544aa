"""What counters are: flows, of which only the increase means something, and stocks, which are amounts."""

from __future__ import annotations

from gpuobs.expressions import Expression
from gpuobs.promql import walk
from gpuobs.promql.nodes import Node, Select

_STOCKS = frozenset({"rows", "pages", "banks"})


def is_stock(expression: Expression, node: Node) -> bool:
    """Whether a counter says how much of GPUs' memory is out of use: its level is what counts."""
    policy = expression.program.policy
    if policy is None:
        return False
    names = [each.selector.name for each in walk(node) if isinstance(each, Select)]
    read = [policy.collected.get(name) for name in names]
    return all(
        found is not None and found.metric.per == "gpu" and found.metric.unit in _STOCKS
        for found in read
    )
