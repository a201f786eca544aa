"""A counter's function on what is no counter.

rate(), irate(), increase() and resets() take every fall of a value for a restart of its counter.
Of a gauge they give a slope with the falls turned into rises, of a value that is a rate already
about 0, and of an error code arithmetic with its number: from 0 to 79 it 'increased' by 79, and
the same code a second time is nothing. resets() of a value that is 0 or 1 is left alone: it
counts how often it fell.

Bad:

```yaml
rules:
  - record: node:gpus_without_nvlink_traffic:count
    expr: count by (Hostname) (rate(DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL[5m]) == 0)
    unit: gpus
```

Good:

```yaml
rules:
  - record: node:gpus_without_nvlink_traffic:count
    expr: count by (Hostname) (avg_over_time(DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL[5m]) == 0)
    unit: gpus
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._values import counts, inner, named, renamed
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql import units, walk
from gpuobs.promql.functions import FUNCTIONS
from gpuobs.promql.nodes import Binary, Call, Node, Select
from gpuobs.promql.shapes import Shape
from gpuobs.promql.units import Unit

CODE = "promql/rate-on-gauge"
SEVERITY = "error"

_IS = {
    "gauge": "is a gauge",
    "code": "is a code",
    "latched-code": "is the last code, which stays",
    "boolean": "is 0 or 1",
    "bitmask": "is a sum of bits",
    "bits": "is a sum of bits",
    "info": "is always 1",
}


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for node in expression.analysis.of(Call):
            if FUNCTIONS[node.name].wants != "counter":
                continue
            of = inner(node.args[0])
            shape = expression.analysis[of]
            if _is_wrong(expression, node, of, shape):
                what = "is a rate already" if _is_rate(shape) else _IS[shape.kind]
                message = f"{node.name}() is for counters, and '{named(expression, of)}' {what}"
                yield expression.error(node, CODE, message, _hint(expression, node, shape))


def _is_wrong(expression: Expression, node: Call, of: Node, shape: Shape) -> bool:
    if shape.kind not in _IS or (node.name == "resets" and shape.kind == "boolean"):
        return False
    # What a counter becomes beside another vector is not said by its kind.
    return not (isinstance(of, Binary) and _has_counter(expression, of))


def _has_counter(expression: Expression, node: Node) -> bool:
    selected = (each for each in walk(node) if isinstance(each, Select))
    return any(expression.analysis[each].kind in ("counter", "bucket") for each in selected)


def _is_rate(shape: Shape) -> bool:
    """Whether a gauge is an amount per second by its unit."""
    dimensions = dict(shape.unit.dimensions) if shape.unit is not None else {}
    return shape.kind == "gauge" and "bytes" in dimensions and "seconds" in dimensions


def _hint(expression: Expression, node: Call, shape: Shape) -> str:
    mean = renamed(expression, node, "avg_over_time")
    changes = renamed(expression, node, "changes")
    if _is_rate(shape) and shape.unit is not None:
        return f"{mean}{_to_base(shape.unit)} is its mean in {_base(shape.unit)}"
    if shape.kind == "latched-code":
        events = counts(expression, shape)
        told = f", or {events}, which counts every event" if events else ""
        return f"{changes} counts changes of the code, and misses one that repeats{told}"
    if shape.kind in ("boolean", "code"):
        return f"{changes} counts how often it changed"
    if shape.kind in ("bitmask", "bits", "info"):
        return ""
    if node.name == "resets":
        return changes
    slope = "delta" if node.name == "increase" else "deriv"
    return f"{mean} is its mean, {renamed(expression, node, slope)} its change"


def _base(unit: Unit) -> Unit:
    return Unit(unit.dimensions)


def _to_base(unit: Unit) -> str:
    return "" if unit.scale == 1 else f" {units.spelt(unit.scale)}"
