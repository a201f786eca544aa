"""A gauge's function on a counter.

delta(), idelta(), deriv(), predict_linear() and holt_winters() know no restarts: when the driver
is loaded anew or a GPU is reset its counters begin at 0, and the difference is negative. increase()
and rate() count on from there. Rows and pages that memory lost are left alone: they are a stock
that may fall.

Bad:

```yaml
rules:
  - record: gpu:ecc_corrected:increase10m
    expr: delta(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL[10m])
    unit: errors
```

Good:

```yaml
rules:
  - record: gpu:ecc_corrected:increase10m
    expr: increase(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL[10m])
    unit: errors
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._counters import is_stock
from gpuobs.checks._values import SLOPES, inner, named, renamed
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql.nodes import Call

CODE = "promql/delta-on-counter"
SEVERITY = "error"

_INSTEAD = {"delta": "increase", "idelta": "increase", "deriv": "rate"}


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for node in expression.analysis.of(Call):
            if node.name not in SLOPES:
                continue
            of = inner(node.args[0])
            shape = expression.analysis[of]
            if shape.kind in ("counter", "bucket") and not is_stock(expression, shape):
                message = (
                    f"{node.name}() is for gauges, and '{named(expression, of)}' is a counter: "
                    "when it begins again the result is negative"
                )
                yield expression.error(node, CODE, message, _hint(expression, node))


def _hint(expression: Expression, node: Call) -> str:
    instead = _INSTEAD.get(node.name)
    if instead is None:
        return "take rate() of the counter, and a subquery of that"
    return renamed(expression, node, instead)
