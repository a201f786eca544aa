"""A mean of means, or of ratios.

A group of one weighs as much as a group of eight. Add up the parts and divide once: that is the mean of
what they are made of.

Bad:

```yaml
rules:
  - record: cluster:sm_busy:avg
    expr: avg by (cluster) (avg by (cluster, node) (gpu:sm_active:avg5m))
    unit: ratio
```

Good:

```yaml
rules:
  - record: cluster:sm_busy:avg
    expr: avg by (cluster) (gpu:sm_active:avg5m)
    unit: ratio
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._composition import division, inner, summed
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql.nodes import Aggregate
from gpuobs.promql.shapes import MEAN, QUANTILE, RATIO

CODE = "promql/mean-of-means"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for node in expression.analysis.of(Aggregate):
            if node.name == "avg":
                yield from _mean(expression, node)


def _mean(expression: Expression, node: Aggregate) -> Iterator[Diagnostic]:
    shape = expression.analysis[node.expr]
    if QUANTILE in shape.traits:
        return
    if MEAN in shape.traits:
        what = inner(expression, node.expr, MEAN)
        message = f"the mean of '{what}', which is a mean itself: groups of any size weigh the same"
        hint = "take the mean of what it is made of, or divide a sum of sums by a sum of counts"
        yield expression.error(node, CODE, message, hint)
    elif RATIO in shape.traits and (ratio := division(expression, node.expr)) is not None:
        message = "the mean of ratios: a part of any size weighs the same"
        yield expression.warning(node, CODE, message, summed(expression, node, ratio))
