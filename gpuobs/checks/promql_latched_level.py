"""An alert on the level of a value that stays.

The last XID stays until the driver is loaded anew. An alert on it fires until then, long after the
trouble, and when the same XID comes again while it fires nobody is told. Count events instead, or
ask whether it was there before: with `and` or `unless` the level is left alone. Where `err_code` is a
label a new code is a new series, in which `changes()` sees nothing.

Bad:

```yaml
alerts:
  - name: GpuFellOffTheBus
    tier: info
    expr: DCGM_FI_DEV_XID_ERRORS == 79
    summary: GPU {{ $labels.gpu }} fell off the bus
    scenarios:
      - name: XID 79
        series: {'DCGM_FI_DEV_XID_ERRORS{Hostname="n1", gpu="0"}': '0x5 79x10'}
        fires: [{at: 10m, labels: {Hostname: n1}}]
```

Good:

```yaml
alerts:
  - name: GpuFellOffTheBus
    tier: info
    expr: DCGM_FI_DEV_XID_ERRORS == 79 unless on (UUID) DCGM_FI_DEV_XID_ERRORS offset 5m == 79
    summary: GPU {{ $labels.gpu }} fell off the bus
    scenarios:
      - name: XID 79
        series: {'DCGM_FI_DEV_XID_ERRORS{Hostname="n1", gpu="0"}': '0x5 79x10'}
        fires: [{at: 7m, labels: {Hostname: n1}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._codes import is_picked, level_hint
from gpuobs.checks._values import ORDER, restricted, thresholds
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import expressions
from gpuobs.ir import Program

CODE = "promql/latched-level"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        if expression.alert is None:
            continue
        for threshold in thresholds(expression):
            shape = expression.analysis[threshold.series]
            if shape.kind != "latched-code" or restricted(expression, threshold.node):
                continue
            if threshold.operator in ORDER and not is_picked(threshold.series):
                continue
            message = (
                f"'{expression.text(threshold.series)}' stays until the driver is loaded anew: the "
                "alert fires until then, and a second event is not seen"
            )
            code = threshold.value if threshold.operator == "==" else None
            hint = level_hint(expression, threshold.series, shape, code)
            yield expression.error(threshold.node, CODE, message, hint)
