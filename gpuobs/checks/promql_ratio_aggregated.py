"""Ratios that are added up.

The sum of ratios is no ratio of anything: add up the numerators and the denominators, and divide
once.

Bad:

```yaml
rules:
  - record: cluster:memory_share:sum
    expr: sum by (cluster) (gpu:memory_used:avg5m / gpu:memory_total:avg5m)
    unit: ratio
```

Good:

```yaml
rules:
  - record: cluster:memory_share:ratio
    expr: sum by (cluster) (gpu:memory_used:avg5m) / sum by (cluster) (gpu:memory_total:avg5m)
    unit: ratio
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._composition import division, summed
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import expressions
from gpuobs.ir import Program
from gpuobs.promql.nodes import Aggregate, Binary
from gpuobs.promql.shapes import RATIO

CODE = "promql/ratio-aggregated"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for node in expression.analysis.of(Aggregate):
            if node.name != "sum":
                continue
            ratio = division(node.expr)
            divided = expression.analysis.parents.get(node)
            mean = isinstance(divided, Binary) and divided.name == "/"
            known = expression.analysis[node.expr].unit is not None
            if (
                ratio is not None
                and known
                and not mean
                and RATIO in expression.analysis[ratio].traits
            ):
                message = f"the sum of '{expression.text(ratio)}', which is a ratio, is none"
                yield expression.error(node, CODE, message, summed(expression, node, ratio))
