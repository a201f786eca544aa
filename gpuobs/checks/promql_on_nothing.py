"""An `and on ()` or `unless on ()` whose right side is a vector of several series.

With an empty `on ()` everything matches everything: as soon as one series is left on the right,
however unrelated, all of the left side passes. That is right for a gate of one sample, such as
`sum(...) > 0`, `vector(1)` or `absent(...)`.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    expr: gpu:temperature:max5m > 80 and on () (DCGM_FI_DEV_POWER_USAGE > 600)
    summary: GPU {{ $labels.gpu }} is hot under load
    scenarios:
      - name: one hot GPU
        series:
          'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30'
          'DCGM_FI_DEV_POWER_USAGE{Hostname="n1"}': '650x30'
        fires: [{at: 20m, labels: {node: n1}}]
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: info
    expr: gpu:temperature:max5m > 80 and on () (sum(DCGM_FI_DEV_POWER_USAGE) > 600)
    summary: GPU {{ $labels.gpu }} is hot while the fleet is loaded
    scenarios:
      - name: one hot GPU
        series:
          'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30'
          'DCGM_FI_DEV_POWER_USAGE{Hostname="n1"}': '650x30'
        fires: [{at: 20m, labels: {node: n1}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._joins import OF_TARGET, Join, identity, joins
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql import nodes, walk
from gpuobs.promql.nodes import Binary, Node, Select
from gpuobs.promql.operands import COMPARISONS

CODE = "promql/on-nothing"
SEVERITY = "error"
# A switch is compared with these; a quantity with others.
_SWITCH = (0.0, 1.0)


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for join in joins(expression):
            if join.on == () and join.node.name in ("and", "unless") and not join.right.single:
                yield from _coupled(expression, join)


def _coupled(expression: Expression, join: Join) -> Iterator[Diagnostic]:
    right = join.right
    if join.left.single or _names_one(right.node):
        return
    known = not right.shape.labels.open
    # Of a metric that no catalog has, only a threshold says that it is no switch.
    if not known and (join.left.shape.labels.open or not _of_a_quantity(right.node)):
        return
    does = "lets all of" if join.node.name == "and" else "takes away all of"
    left = expression.text(join.left.node)
    message = f"any one series of the right side {does} '{left}'" + (
        " through" if join.node.name == "and" else ""
    )
    say = expression.error if known else expression.warning
    assert join.node.matching is not None
    place = (join.node.operator.start, join.node.matching.end)
    yield say(place, CODE, message, _hint(expression, join))


def _names_one(node: Node) -> bool:
    """Whether a matcher says which series is meant."""
    selectors = [each.selector for each in walk(node) if isinstance(each, Select)]
    return any(matcher.op == "=" for each in selectors for matcher in each.matchers)


def _of_a_quantity(node: Node) -> bool:
    found = (each for each in walk(node) if isinstance(each, Binary) and each.name in COMPARISONS)
    return any(nodes.constant(each.rhs) not in (None, *_SWITCH) for each in found)


def _hint(expression: Expression, join: Join) -> str:
    name = join.node.name
    if join.left.shape.labels.certain == join.right.shape.labels.certain:
        return "remove 'on ()': both sides have the same labels"
    common = frozenset(join.common) - OF_TARGET
    own = sorted(common & identity(expression, join.left.shape) or common)
    if own:
        return f"match on what both have: {name} on ({', '.join(own)})"
    text = expression.text(nodes.bare(join.right.node))
    return (
        f"join on a label that both have, or count if any will do: {name} on () (count({text}) > 0)"
    )
