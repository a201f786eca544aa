"""A division by what can be 0, compared with a threshold.

x / 0 is +Inf, which is above every threshold: the alert fires for a GPU that has nothing of the
denominator. 0 / 0 is NaN, which meets no comparison.

Bad:

```yaml
alerts:
  - name: TooHotForItsLoad
    tier: info
    expr: DCGM_FI_DEV_GPU_TEMP / DCGM_FI_DEV_GPU_UTIL > 2
    summary: GPU {{ $labels.gpu }} is hot for its load
    scenarios:
      - name: hot
        series:
          'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30'
          'DCGM_FI_DEV_GPU_UTIL{Hostname="n1"}': '10x30'
        fires: [{at: 20m, labels: {Hostname: n1}}]
```

Good:

```yaml
alerts:
  - name: TooHotForItsLoad
    tier: info
    expr: DCGM_FI_DEV_GPU_TEMP / (DCGM_FI_DEV_GPU_UTIL > 0) > 2
    summary: GPU {{ $labels.gpu }} is hot for its load
    scenarios:
      - name: hot
        series:
          'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30'
          'DCGM_FI_DEV_GPU_UTIL{Hostname="n1"}': '10x30'
        fires: [{at: 20m, labels: {Hostname: n1}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.policy import Policy
from gpuobs.promql import nodes, walk
from gpuobs.promql.nodes import Binary, Node, Select
from gpuobs.promql.operands import SETS

CODE = "promql/division-by-zero"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for node in _divisions(expression) if expression.alert is not None else ():
            if _can_be_infinite(expression, node) and _fires(expression, node):
                text = expression.text(node.rhs)
                message = f"'{text}' can be 0: the result is then infinite, and the alert fires"
                hint = f"leave 0 out: / ({text} > 0)"
                yield expression.warning(node.rhs, CODE, message, hint)


def _divisions(expression: Expression) -> Iterator[Binary]:
    return (node for node in expression.analysis.of(Binary) if node.name == "/")


def _can_be_infinite(expression: Expression, node: Binary) -> bool:
    """Whether the denominator is a GPU's value that can be 0 while the numerator, of other metrics, is not."""
    above, select = expression.analysis[node.lhs], nodes.bare(node.rhs)
    policy = expression.program.policy
    assert policy is not None
    if not isinstance(select, Select) or select.selector.name in _names(node.lhs):
        return False
    collected = policy.collected.get(select.selector.name)
    if collected is None or not collected.exporter.catalog.vendor:
        return False
    below = expression.analysis[select]
    # Of one quantity, such as used to free memory, infinitely many times as much is what is meant.
    if below.unit and above.unit and below.unit.dimensions == above.unit.dimensions:
        return False
    if _is_whole(policy, select.selector.name):
        return False
    return below.kind == "gauge" and below.range.low == 0 and above.range.high > 0


def _is_whole(policy: Policy, name: str) -> bool:
    """Whether it is all that there is of something, such as a GPU's memory."""
    return any(each.metric.whole == name for each in policy.collected.values())


def _names(node: Node) -> frozenset[str]:
    return frozenset(each.selector.name for each in walk(node) if isinstance(each, Select))


def _fires(expression: Expression, node: Binary) -> bool:
    """Whether an infinite result is above what it is compared with, and nothing around it looks at the denominator."""
    compared = False
    below: Node = node
    for above in expression.analysis.ancestors(node):
        if not isinstance(above, Binary):
            return False
        if above.name in SETS:
            other = above.rhs if nodes.bare(above.lhs) is below else above.lhs
            if _names(other) & _names(node.rhs):
                return False
        elif above.name in (">", ">=") and not above.bool and nodes.bare(above.lhs) is below:
            compared = nodes.constant(above.rhs) is not None
        elif above.name not in ("*", "+") or nodes.constant(above.rhs) is None:
            return False
        below = above
    return compared
