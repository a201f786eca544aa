"""Ratios, or temperatures, that are added up.

The sum of ratios is no ratio of anything: add up the numerators and the denominators, and divide
once. That holds for a ratio that a rule records too. Temperatures have no sum: take the highest.

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
from gpuobs.checks._joins import Side, repeated
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql import nodes, units
from gpuobs.promql.aggregations import grouped
from gpuobs.promql.nodes import Aggregate, Binary
from gpuobs.promql.shapes import RATIO, SUMMED

CODE = "promql/ratio-aggregated"
SEVERITY = "error"
_CELSIUS = units.named("celsius")


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for node in expression.analysis.of(Aggregate):
            divided = expression.analysis.parents.get(node)
            mean = isinstance(divided, Binary) and divided.name == "/"
            if node.name == "sum" and not mean:
                yield from _ratios(expression, node)
                yield from _temperatures(expression, node)


def _ratios(expression: Expression, node: Aggregate) -> Iterator[Diagnostic]:
    shape = expression.analysis[node.expr]
    if RATIO not in shape.traits or shape.unit is None:
        return
    ratio = division(expression, node.expr)
    if ratio is not None:
        what = expression.text(nodes.bare(node.expr))
        message = f"the sum of '{what}', which is a ratio, is none"
        yield expression.error(node, CODE, message, summed(expression, node, ratio))


def _temperatures(expression: Expression, node: Aggregate) -> Iterator[Diagnostic]:
    """Sums of several temperatures; of one a group it is the temperature itself."""
    shape = expression.analysis[node.expr]
    if shape.unit != _CELSIUS or shape.kind != "gauge" or SUMMED in shape.traits:
        return
    groups = Side(node.expr, shape, grouped(node, shape.labels))
    if repeated(expression, groups) is not None:
        grouping = node.grouping
        by = f" {expression.parsed.text[grouping.start : grouping.end]} " if grouping else ""
        message = "temperatures do not add up: their sum is the temperature of nothing"
        hint = f"max{by}({expression.text(node.expr)})"
        yield expression.error(node, CODE, message, hint)
