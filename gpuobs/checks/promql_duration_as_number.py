"""A duration where a number is meant.

From Prometheus 3.0 on `100d` is the number 8640000, the seconds of a hundred days. Before, the whole
file is refused. Beside seconds it reads well; beside anything else it is a mistake.

Bad:

```yaml
prometheusVersion: "3.5"
---
rules:
  - record: cluster:gpus:hot
    expr: count by (cluster) (gpu:temperature:max5m > 1m20s)
    unit: gpus
```

Good:

```yaml
prometheusVersion: "3.5"
---
rules:
  - record: cluster:gpus:hot
    expr: count by (cluster) (gpu:temperature:max5m > 80)
    unit: gpus
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql.nodes import Binary, Number
from gpuobs.promql.units import SECONDS

CODE = "promql/duration-as-number"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for node in expression.analysis.of(Number):
            if node.duration and not _of_time(expression, node):
                value = f"{node.value:.15g}"
                message = (
                    f"'{expression.text(node)}' is a duration, and stands for the number {value}"
                )
                yield expression.warning(
                    node, CODE, message, f"write {value}, if seconds are meant"
                )


def _of_time(expression: Expression, node: Number) -> bool:
    """Whether it is computed or compared with seconds."""
    above = expression.analysis.parents.get(node)
    if not isinstance(above, Binary):
        return False
    sides = (expression.analysis[above.lhs], expression.analysis[above.rhs])
    return any(side.unit == SECONDS for side in sides)
