"""A sum of bits taken for a quantity.

`DCGM_FI_DEV_CLOCK_THROTTLE_REASONS` adds a number for every reason that holds. Above 0 is every
GPU that is idle, `== 64` misses a GPU that has another reason too, and a mean means nothing. PromQL
has no bit operation: divide by the bit, take the whole part, and its remainder by 2. Equal to 0
says that no reason holds, and is right.

Bad:

```yaml
exporters:
  - {catalog: nvidia-dcgm, job: dcgm, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc, clock-events]}
  - {catalog: amd-device-metrics, job: amd}
---
rules:
  - record: node:gpus_slowed:count
    expr: count by (Hostname) (DCGM_FI_DEV_CLOCK_THROTTLE_REASONS > 0)
    unit: gpus
```

Good:

```yaml
exporters:
  - {catalog: nvidia-dcgm, job: dcgm, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc, clock-events]}
  - {catalog: amd-device-metrics, job: amd}
---
rules:
  - record: node:gpus_slowed:count
    expr: count by (Hostname) (floor(DCGM_FI_DEV_CLOCK_THROTTLE_REASONS / 64) % 2 == 1)
    unit: gpus
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuobs.checks._texts import words
from gpuobs.checks._values import (
    ARITHMETIC,
    ARITHMETIC_OVER_TIME,
    SLOPES,
    collected,
    inner,
    named,
    operand,
    thresholds,
)
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql.nodes import Aggregate, Call, Node

CODE = "promql/bitmask-as-number"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for threshold in thresholds(expression):
            is_mask = expression.analysis[threshold.series].kind == "bitmask"
            if is_mask and not (threshold.operator == "==" and threshold.value == 0):
                message = (
                    f"'{expression.text(threshold.series)}' is a sum of bits: "
                    f"'{threshold.operator} {threshold.value:g}' does not say which are set"
                )
                hint = _hint(expression, threshold.series, threshold.value)
                yield expression.warning(threshold.node, CODE, message, hint)
        for node, of in _calculations(expression):
            if expression.analysis[of].kind == "bitmask":
                message = f"{node.function.text}() of '{named(expression, of)}' computes with a sum of bits"
                yield expression.warning(node, CODE, message, _hint(expression, of, 0))


def _calculations(expression: Expression) -> Iterator[tuple[Aggregate | Call, Node]]:
    for node in expression.analysis.of(Aggregate):
        if node.name in ARITHMETIC:
            yield node, node.expr
    for call in expression.analysis.of(Call):
        of = operand(call)
        if of is not None and (call.name in ARITHMETIC_OVER_TIME or call.name in SLOPES):
            yield call, inner(of)


def _hint(expression: Expression, of: Node, value: float) -> str:
    found = collected(expression, expression.analysis[of])
    bits = found.metric.bits if found is not None else {}
    if not bits:
        return f"floor({named(expression, of)} / BIT) % 2 == 1"
    name = _meant(expression, bits, value)
    listed = ", ".join(f"{bit} {each}" for each, bit in bits.items())
    return (
        f"floor({named(expression, of)} / {bits[name]}) % 2 == 1 is {name}; the bits are {listed}"
    )


def _meant(expression: Expression, bits: Mapping[str, int], value: float) -> str:
    """The bit that is compared with, or of which the rule's texts speak; else one that is trouble."""
    equal = next((name for name, bit in bits.items() if bit == value), None)
    if equal is not None:
        return equal
    told = words(expression) - {"gpu"}
    scores = {name: len(told.intersection(name.split("_"))) for name in bits}
    return max(bits, key=lambda name: (scores[name], "thermal" in name, name.startswith("hw_")))
