"""A quantile or a mean of quantiles.

Quantiles of groups do not tell the quantile of all: the mean of ten nodes' p95 is nobody's p95. Take the
quantile of the values themselves, or of added-up histogram buckets.

Bad:

```yaml
rules:
  - record: cluster:sm_busy:p95
    expr: quantile by (cluster) (0.95, quantile by (cluster, node) (0.95, gpu:sm_active:avg5m))
    unit: ratio
```

Good:

```yaml
rules:
  - record: cluster:sm_busy:p95
    expr: quantile by (cluster) (0.95, gpu:sm_active:avg5m)
    unit: ratio
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._composition import inner
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import expressions
from gpuobs.ir import Program
from gpuobs.promql.nodes import Aggregate
from gpuobs.promql.shapes import QUANTILE

CODE = "promql/quantile-of-quantiles"
SEVERITY = "error"

_MIXING = frozenset({"avg", "sum", "quantile", "stddev", "stdvar"})


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for node in expression.analysis.of(Aggregate):
            if node.name not in _MIXING:
                continue
            if QUANTILE in expression.analysis[node.expr].traits:
                what = inner(expression, node.expr, QUANTILE)
                message = f"'{node.name}' of '{what}', which is a quantile: that is no quantile"
                hint = "take the quantile of what it is made of; 'max' gives the worst of them"
                yield expression.error(node, CODE, message, hint)
