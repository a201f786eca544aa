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

from gpuobs.checks._ranges import always, comparisons, hint, told
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
        for found in comparisons(expression):
            sides = (expression.analysis[found.left], expression.analysis[found.right])
            # Where series are left out before, the condition is that there are any.
            if any(FILTERED in side.traits for side in sides):
                continue
            proved = always(found.operator, found.values, found.others)
            if proved and _is_condition(expression, found.node):
                message = told(expression, found, "always")
                yield expression.error(found.node, CODE, message, hint(found))


def _is_condition(expression: Expression, node: Node) -> bool:
    """Whether the alert fires on this comparison: alone, or as a branch of `and` and `or`."""
    above = expression.analysis.ancestors(node)
    return all(isinstance(each, Binary) and each.name in ("and", "or") for each in above)
