"""A sum that takes one value several times.

Under MIG the exporter writes the power, the temperature and the clocks of a board once for every
instance, and where pods share a GPU once for every pod. A sum or a number of series is several
times too large: seven instances of a board at 300 W are no 2,100 W. Take one of the equal values of
each board first, with max. A mean is left alone, and so is a number of series that is only asked
whether it is above 0.

Bad:

```yaml
clusters:
  - name: one
    pools:
      - {name: mig, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8, mig: {1g.10gb: 7}}
---
rules:
  - record: node:power:sum
    expr: sum by (Hostname) (DCGM_FI_DEV_POWER_USAGE)
    unit: watts
```

Good:

```yaml
clusters:
  - name: one
    pools:
      - {name: mig, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8, mig: {1g.10gb: 7}}
---
rules:
  - record: node:power:sum
    expr: sum by (Hostname) (max by (Hostname, UUID) (DCGM_FI_DEV_POWER_USAGE))
    unit: watts
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import names
from gpuobs.checks._values import is_condition
from gpuobs.diagnostics import Diagnostic
from gpuobs.exporters import ExporterInUse
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql.aggregations import grouped
from gpuobs.promql.nodes import Aggregate, Binary, constant
from gpuobs.promql.operands import COMPARISONS
from gpuobs.promql.shapes import Shape

CODE = "promql/board-value-repeated"
SEVERITY = "error"

_OF_EACH = {names.MIG_INSTANCE: "MIG instance", names.POD: "pod that shares a GPU"}


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for node in expression.analysis.of(Aggregate):
            shape = expression.analysis[node.expr]
            if node.name not in ("sum", "count") or not shape.repeats:
                continue
            exporter = _exporter(expression, shape)
            each = exporter and _merged(expression, node, shape, exporter)
            if exporter and each and not (node.name == "count" and _is_asked(expression, node)):
                message = (
                    f"'{expression.text(node.expr)}' has the same value for every {each}: "
                    f"{node.name}() takes it several times"
                )
                yield expression.error(node, CODE, message, _hint(expression, node, exporter))


def _exporter(expression: Expression, shape: Shape) -> ExporterInUse | None:
    policy = expression.program.policy
    assert policy is not None
    using = [each for each in policy.exporters if str(each.catalog.name) in shape.scope]
    return using[0] if len(using) == 1 else None


def _merged(
    expression: Expression, node: Aggregate, shape: Shape, exporter: ExporterInUse
) -> str | None:
    """For what an equal value is there, whose label the groups do not keep; None where every value is there once."""
    kept = grouped(node, shape.labels)
    for canonical, told in _OF_EACH.items():
        label = exporter.label(canonical)
        if label not in shape.repeats or kept.can_have(label):
            continue
        several = shape.labels.can_have(label) and not _has_one(shape, label)
        if several and (canonical == names.POD or _is_cut(expression, shape, exporter)):
            return told
    return None


def _has_one(shape: Shape, label: str) -> bool:
    """Whether a matcher picks one value of the label."""
    values = shape.labels.values.get(label)
    return values is not None and len(values) == 1


def _is_cut(expression: Expression, shape: Shape, exporter: ExporterInUse) -> bool:
    """Whether a pool that matchers leave over is cut into instances."""
    policy = expression.program.policy
    assert policy is not None
    label = exporter.label(names.POOL)
    picked = shape.labels.values.get(label) if label else None
    return any(pool.mig and (picked is None or pool.name in picked) for _, pool, _ in policy.pools)


def _is_asked(expression: Expression, node: Aggregate) -> bool:
    """Whether a number of series only says whether there is any, or which others there are."""
    above = next(expression.analysis.ancestors(node), None)
    if isinstance(above, Aggregate):
        return above.name in ("count", "group")
    if isinstance(above, Binary) and above.name in COMPARISONS:
        return 0 in (constant(above.lhs), constant(above.rhs))
    return is_condition(expression, node)


def _hint(expression: Expression, node: Aggregate, exporter: ExporterInUse) -> str:
    board = exporter.label(names.GPU_UUID) or exporter.label(names.GPU) or names.GPU
    if node.by is None:
        return f"take max by ({board}) of it first"
    labels = ", ".join(dict.fromkeys((*node.by, board)))
    head = f"{node.name} by ({', '.join(node.by)})" if node.by else node.name
    return f"{head} (max by ({labels}) ({expression.text(node.expr)}))"
