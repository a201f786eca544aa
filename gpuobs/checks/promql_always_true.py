"""A threshold that is always crossed.

The alert would fire for every GPU from the first day.

Bad:

```yaml
alerts:
  - name: GpuIdle
    tier: info
    when: {signal: sm_active, level: gpu, reduce: avg, window: 5m, below: 5}
    summary: idle
```

Good:

```yaml
alerts:
  - name: GpuIdle
    tier: info
    when: {signal: sm_active, level: gpu, reduce: avg, window: 5m, below: 0.05}
    summary: idle
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._ranges import always, comparisons, ratio_hint
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql.nodes import Binary, Node
from gpuobs.promql.shapes import FILTERED

CODE = "promql/always-true"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        if expression.alert is None:
            continue
        for node in comparisons(expression):
            left, right = expression.analysis[node.lhs], expression.analysis[node.rhs]
            # Where series are left out before, the condition is that there are any.
            if FILTERED in left.traits | right.traits:
                continue
            if _is_condition(expression, node) and always(node.name, left.range, right.range):
                message = (
                    f"'{expression.text(node.lhs)}' is {left.range}: "
                    f"it is always {node.operator.text} {expression.text(node.rhs)}"
                )
                yield expression.error(node, CODE, message, ratio_hint(left, right))


def _is_condition(expression: Expression, node: Node) -> bool:
    """Whether the alert fires on this comparison: alone, or as a branch of `and` and `or`."""
    above = expression.analysis.ancestors(node)
    return all(isinstance(each, Binary) and each.name in ("and", "or") for each in above)
