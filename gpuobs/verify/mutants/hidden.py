"""Places of an expression whose values nobody sees: only whether there is a series, and with which labels."""

from __future__ import annotations

from gpuobs.promql.analysis import Analysis
from gpuobs.promql.functions import names
from gpuobs.promql.nodes import Aggregate, Binary, Call, Node, Subquery, Unary, bare

_SEALING = names("count group absent absent_over_time present_over_time count_over_time timestamp")
_PASSING = names(
    "max min sum avg stddev stdvar abs ceil floor round sgn clamp_min clamp_max label_replace label_join"
    " sort sort_desc max_over_time min_over_time avg_over_time sum_over_time last_over_time vector"
)
_ARITHMETIC = names("+ - * / % ^ atan2")


def reason(node: Node, analysis: Analysis, shown: bool) -> str:
    """Why the values of a node are not seen; empty where they may be. `shown` says whether those of the result are."""
    for above in analysis.ancestors(node):
        if isinstance(above, Aggregate | Call) and above.name in _SEALING:
            return f"'{above.name}' does not look at values"
        if isinstance(above, Binary):
            if above.name in ("and", "unless") and bare(above.rhs) is bare(node):
                return f"'{above.name}' does not look at the values on its right"
            if not _carries(above):
                return ""
        elif isinstance(above, Aggregate | Call):
            if above.name not in _PASSING:
                return ""
        elif not isinstance(above, Subquery | Unary):
            return ""
        node = above
    return "" if shown else "the alert's texts do not show its value"


def _carries(node: Binary) -> bool:
    """Whether an operator has a result for the same series whatever the values are."""
    return node.name in _ARITHMETIC or node.name in ("and", "or", "unless") or node.bool
