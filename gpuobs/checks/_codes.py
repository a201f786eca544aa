"""Codes that stay until the driver is loaded anew, and how to tell that one of them is new."""

from __future__ import annotations

from gpuobs.checks._values import counts
from gpuobs.expressions import Expression
from gpuobs.promql import walk
from gpuobs.promql.nodes import Node, Select
from gpuobs.promql.shapes import Shape

# Labels in which an exporter repeats the code that is the value.
_OF_CODE = frozenset({"err_code", "err_msg"})


def is_picked(node: Node) -> bool:
    """Whether matchers let only some codes through, so that any comparison with 0 is one with these."""
    selectors = (each.selector for each in walk(node) if isinstance(each, Select))
    return any(m.label in _OF_CODE for selector in selectors for m in selector.matchers)


def level_hint(expression: Expression, node: Node, shape: Shape, code: float | None = None) -> str:
    """What tells that an error, or one with a code, is new."""
    events = counts(expression, shape)
    if events:
        matcher = 'xid!=""' if code is None else f'xid="{code:g}"'
        return f"{events}{{{matcher}}} > 0, which counts every event"
    if isinstance(node, Select):
        selector = expression.parsed.text[node.selector.start : node.selector.end]
        return f"changes({selector}[5m]) > 0 is true for 5 minutes; it misses a code that repeats"
    return "count events over a window, such as changes() of the raw series"
