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
            yield expression.warning(each.node, CODE, message, _hint(text, each.unit))


def _hint(text: str, unit: Unit) -> str:
    made = f"'{text} {units.spelt(unit.scale)}' makes it {Unit(unit.dimensions)}"
    if unit.scale == 1024**2 and dict(unit.dimensions) == {"bytes": 1}:
        return f"'{text} / 1024' makes it gibibytes, and {made}"
    return made
