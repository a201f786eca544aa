"""A constant that does not fit the unit it converts.

Mebibytes divided by 1000 are neither gigabytes nor gibibytes, and nanoseconds divided by 3e8 are
nothing at all. Percent times 100 is ten thousand.

Bad:

```yaml
rules:
  - record: gpu:framebuffer:gigabytes
    expr: DCGM_FI_DEV_FB_USED / 1000
    unit: ''
```

Good:

```yaml
rules:
  - record: gpu:framebuffer:gibibytes
    expr: DCGM_FI_DEV_FB_USED / 1024
    unit: ''
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._factors import wrong
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import expressions
from gpuobs.ir import Program
from gpuobs.promql import units
from gpuobs.promql.units import Unit

CODE = "promql/wrong-factor"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for each in wrong(expression):
            text = expression.text(each.value)
            message = (
                f"'{text}' is in {each.unit}, and {units.spelt(each.total)} makes no unit of it"
            )
            hint = f"'{text} {units.spelt(each.unit.scale)}' makes it {Unit(each.unit.dimensions)}"
            yield expression.warning(each.node, CODE, message, hint)
