"""A count of what a comparison leaves, which has no result where zero is meant.

`count(x == 0)` is empty, and not 0, when no series is left; so is every sum and ratio that it goes
into. A panel shows no data, a recorded series has gaps, and `< 1` never fires.

Bad:

```yaml
rules:
  - record: fleet:gpus_idle:ratio
    expr: count(DCGM_FI_DEV_GPU_UTIL == 0) / count(DCGM_FI_DEV_GPU_UTIL)
    unit: ratio
```

Good:

```yaml
rules:
  - record: fleet:gpus_idle:ratio
    expr: sum(DCGM_FI_DEV_GPU_UTIL == bool 0) / count(DCGM_FI_DEV_GPU_UTIL)
    unit: ratio
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._ranges import never
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql import nodes
from gpuobs.promql.interval import Interval
from gpuobs.promql.nodes import Aggregate, Binary, Node
from gpuobs.promql.operands import COMPARISONS, SETS

CODE = "promql/empty-at-zero"
SEVERITY = "warning"
_ZERO = Interval(0.0, 0.0)


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for node in expression.analysis.of(Aggregate):
            if node.name == "count":
                compared = _filter(expression, node)
                if compared is not None and _zero_matters(expression, node):
                    text = expression.text(node)
                    message = f"'{text}' has no result, and is not 0, when no series is left"
                    hint = f"add up 0 and 1: {_summed(expression, node, compared)}"
                    yield expression.warning(node, CODE, message, hint)


def _filter(expression: Expression, node: Aggregate) -> Binary | None:
    """The comparison with a number whose results are counted, if it can leave nothing."""
    inside = nodes.bare(node.expr)
    if not isinstance(inside, Binary) or inside.name not in COMPARISONS or inside.bool:
        return None
    info = expression.analysis[inside.lhs].kind == "info"
    return None if info or nodes.constant(inside.rhs) is None else inside


def _zero_matters(expression: Expression, node: Aggregate) -> bool:
    around = list(expression.analysis.ancestors(node))
    if _is_denominator(node, around):
        return False
    if any(isinstance(each, Binary) and each.name in SETS for each in around):
        return False
    if expression.alert is None:
        return node.grouping is None if not around else isinstance(around[0], Binary)
    return _would_fire(node, around)


def _is_denominator(node: Aggregate, around: list[Node]) -> bool:
    """Nothing divided by nothing is no share of anything."""
    above = around[0] if around else None
    return isinstance(above, Binary) and above.name == "/" and nodes.bare(above.rhs) is node


def _would_fire(node: Aggregate, around: list[Node]) -> bool:
    """Whether 0, or 0 divided by something, meets the alert's comparison."""
    below: Node = node
    for above in around:
        if not isinstance(above, Binary) or nodes.bare(above.lhs) is not below:
            return False
        if above.name in COMPARISONS and not above.bool:
            limit = nodes.constant(above.rhs)
            return limit is not None and not never(above.name, _ZERO, Interval(limit, limit))
        if above.name not in ("/", "*"):
            return False
        below = above
    return False


def _summed(expression: Expression, node: Aggregate, compared: Binary) -> str:
    """The count, with the arithmetic directly around it, as a sum."""
    grouping = node.grouping
    written = expression.parsed.text
    words = written[grouping.start : grouping.end] if grouping is not None else ""
    left, right = expression.text(compared.lhs), expression.text(compared.rhs)
    by = f" {words} " if words else ""
    summed = f"sum{by}({left} {compared.operator.text} bool {right})"
    above = next(expression.analysis.ancestors(node), node)
    around = above if isinstance(above, Binary) else node
    text = written[around.start : node.start] + summed + written[node.end : around.end]
    return " ".join(text.split())
