"""A part divided by the rest, where the whole is meant.

Used over free memory is 1 at half full and has no upper end: `> 0.9` fires from 47 % on. A share is the
part divided by the whole.

Bad:

```yaml
rules:
  - record: gpu:framebuffer_used:ratio
    expr: DCGM_FI_DEV_FB_USED / DCGM_FI_DEV_FB_FREE
    unit: ratio
```

Good:

```yaml
rules:
  - record: gpu:framebuffer_used:ratio
    expr: DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE)
    unit: ratio
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.policy import Policy
from gpuobs.promql import nodes
from gpuobs.promql.nodes import Binary
from gpuobs.spec.model import Metric

CODE = "promql/part-of-rest"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    assert program.policy is not None
    for expression in expressions(program):
        for node in expression.analysis.of(Binary):
            if node.name == "/":
                yield from _divided(expression, program.policy, node)


def _divided(expression: Expression, policy: Policy, node: Binary) -> Iterator[Diagnostic]:
    rest = {id(metric) for metric in _metrics(policy, expression.analysis[node.rhs].amounts)}
    for part in _metrics(policy, expression.analysis[node.lhs].amounts):
        others = _metrics(policy, part.rest)
        if any(id(other) in rest for other in others) and id(part) not in rest:
            message = f"'{expression.text(node.rhs)}' is the rest of '{expression.text(node.lhs)}', and not the whole"
            yield expression.error(node, CODE, message, _hint(expression, part, node))
            return


def _metrics(policy: Policy, names: Iterable[str]) -> list[Metric]:
    """The catalog's metrics of these names; two spellings of one are the same metric."""
    return [policy.known[name][0] for name in sorted(names) if name in policy.known]


def _hint(expression: Expression, part: Metric, node: Binary) -> str:
    assert expression.program.policy is not None
    left, right = (expression.text(nodes.bare(side)) for side in (node.lhs, node.rhs))
    plain = isinstance(nodes.bare(node.lhs), nodes.Select)
    if plain and part.whole and str(part.whole) in expression.program.policy.collected:
        return f"{left} / {part.whole}"
    return f"{left} / ({left} + {right})"
