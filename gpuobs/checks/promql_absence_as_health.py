"""Missing data that is reported as healthy.

`or vector(0)` and `or x * 0 + 1` put a value where there is none. That is right for a part of a
sum. In a series that says whether something works, or in front of a comparison that the value
does not meet, it turns a broken exporter into good news.

Bad:

```yaml
rules:
  - record: node:gpus:ok
    expr: (min by (Hostname) (DCGM_FI_DEV_ROW_REMAP_FAILURE == bool 0)) or on (Hostname) (max by (Hostname) (DCGM_FI_DEV_GPU_TEMP) * 0 + 1)
    unit: count
```

Good:

```yaml
rules:
  - record: node:gpus:ok
    expr: min by (Hostname) (DCGM_FI_DEV_ROW_REMAP_FAILURE == bool 0)
    unit: count
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuobs.checks._ranges import never
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program, RecordingRule
from gpuobs.promql import nodes
from gpuobs.promql.nodes import Aggregate, Binary, Call, Node, Paren
from gpuobs.promql.operands import COMPARISONS

CODE = "promql/absence-as-health"
SEVERITY = "warning"
_GOOD = frozenset("ok healthy health up ready available alive online good passed".split())


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for node in expression.analysis.of(Binary):
            if node.name == "or":
                value = _made_up(expression, node.rhs)
                if value is not None:
                    yield from _as_health(expression, node, value)


def _made_up(expression: Expression, node: Node) -> float | None:
    """The one value of what stands in for missing data; None where it is data of its own."""
    values = expression.analysis[node].range
    inside = nodes.bare(node)
    written = isinstance(inside, Call) and inside.name == "vector"
    nulled = isinstance(inside, Binary) and "0" in re.split(r"[\s*+()]+", expression.text(inside))
    if not (written or nulled) or values.low != values.high:
        return None
    return values.low


def _as_health(expression: Expression, node: Binary, value: float) -> Iterator[Diagnostic]:
    rule = expression.rule
    at = node.operator.start, node.end
    if isinstance(rule, RecordingRule):
        words = set(re.split(r"[:_]", rule.record))
        if value and words & _GOOD and _is_the_result(expression, node):
            message = (
                f"without data '{rule.record}' is {value:g}: what is missing counts as healthy"
            )
            hint = "leave it out, so that missing data is missing, and watch for its absence"
            yield expression.warning(at, CODE, message, hint)
        return
    above = next(expression.analysis.ancestors(node), None)
    if isinstance(above, Binary) and above.name in COMPARISONS and not above.bool:
        limit = expression.analysis[above.rhs].range
        made = expression.analysis[node.rhs].range
        if nodes.bare(above.lhs) is node and never(above.name, made, limit):
            test = f"{above.operator.text} {expression.text(above.rhs)}"
            message = f"without data this is {value:g}, which is never {test}: it changes nothing"
            hint = "remove it, and watch for missing data with absent()"
            yield expression.warning(at, CODE, message, hint)


def _is_the_result(expression: Expression, node: Node) -> bool:
    """Whether the value reaches the result as it is."""
    above = expression.analysis.ancestors(node)
    return all(
        isinstance(each, Paren)
        or (isinstance(each, Binary) and each.name == "or")
        or (isinstance(each, Aggregate) and each.name in ("min", "max"))
        for each in above
    )
