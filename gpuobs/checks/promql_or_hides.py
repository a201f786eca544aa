"""An `or` whose right side never shows.

`a or b` is not a logical or: it gives all of `a`, and of `b` only series with labels that `a` does
not have. Where the exporter writes both metrics for every GPU, nothing of `b` is ever seen.

Bad:

```yaml
alerts:
  - name: EccErrors
    tier: info
    expr: (increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[5m]) or increase(DCGM_FI_DEV_ECC_DBE_AGG_TOTAL[5m])) > 0
    summary: GPU {{ $labels.gpu }} has uncorrectable errors
    scenarios:
      - name: one error
        series: {'DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{Hostname="n1"}': '0x10 1x20'}
        fires: [{at: 12m, labels: {Hostname: n1}}]
```

Good:

```yaml
alerts:
  - name: EccErrors
    tier: info
    expr: increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[5m]) > 0 or increase(DCGM_FI_DEV_ECC_DBE_AGG_TOTAL[5m]) > 0
    summary: GPU {{ $labels.gpu }} has uncorrectable errors
    scenarios:
      - name: one error
        series: {'DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{Hostname="n1"}': '0x10 1x20'}
        fires: [{at: 12m, labels: {Hostname: n1}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._joins import Join, Side, joins
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.policy import Collected
from gpuobs.promql import walk
from gpuobs.promql.nodes import Aggregate, Binary, Select
from gpuobs.promql.shapes import FILTERED

CODE = "promql/or-hides"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for join in joins(expression):
            if join.node.name == "or" and join.on is None and _hides(expression, join):
                left, right = expression.text(join.left.node), expression.text(join.right.node)
                message = f"'{right}' never shows: '{left}' has a series for every GPU that it has one for"
                hint = f"compare each: {left} > x or {right} > x"
                yield expression.warning(join.right.node, CODE, message, hint)


def _hides(expression: Expression, join: Join) -> bool:
    left, right = _counter(expression, join.left), _counter(expression, join.right)
    if left is None or right is None or left.exporter is not right.exporter:
        return False
    metrics = left.metric, right.metric
    # What some GPUs lack is a fallback, and so is another spelling of the same.
    everywhere = not metrics[0].unsupported or metrics[0].unsupported == metrics[1].unsupported
    same = join.left.shape.labels == join.right.shape.labels and metrics[0].per == metrics[1].per
    return same and everywhere and metrics[0] is not metrics[1]


def _counter(expression: Expression, side: Side) -> Collected | None:
    """The counter of which a side gives a value for each of its series; None where it is anything else."""
    policy = expression.program.policy
    assert policy is not None
    if FILTERED in side.shape.traits:
        return None
    selects: list[Select] = []
    for node in walk(side.node):
        if isinstance(node, Aggregate | Binary):
            return None
        if isinstance(node, Select):
            selects.append(node)
    if len(selects) != 1:
        return None
    collected = policy.collected.get(selects[0].selector.name)
    return collected if collected is not None and collected.metric.kind == "counter" else None
