"""A quantile of buckets whose bounds are gone.

histogram_quantile() reads the bounds of the buckets in their label `le`. An aggregation that does
not keep it, or what is no bucket at all, gives NaN or nothing.

Bad:

```yaml
rules:
  - record: cluster:remote_write_duration:p99
    expr: histogram_quantile(0.99, sum by (cluster) (rate(prometheus_remote_storage_sent_batch_duration_seconds_bucket[5m])))
    unit: seconds
```

Good:

```yaml
rules:
  - record: cluster:remote_write_duration:p99
    expr: histogram_quantile(0.99, sum by (cluster, le) (rate(prometheus_remote_storage_sent_batch_duration_seconds_bucket[5m])))
    unit: seconds
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._values import operand
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql import walk
from gpuobs.promql.functions import FUNCTIONS
from gpuobs.promql.nodes import Aggregate, Call, Node, Select, bare, children

CODE = "promql/bucket-without-le"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for node in expression.analysis.of(Call):
            of = operand(node) if FUNCTIONS[node.name].wants == "bucket" else None
            if of is None:
                continue
            buckets = [each for each in walk(of) if _is_bucket(expression, each)]
            if buckets and not expression.analysis[of].labels.can_have("le"):
                lost = _loses(expression, of)
                message = f"{node.name}() needs the buckets' label 'le', which is gone here"
                yield expression.error(lost, CODE, message, _hint(expression, lost))
            elif not buckets and _is_none(expression, of):
                message = f"'{expression.text(bare(of))}' has no buckets of a histogram, which {node.name}() needs"
                yield expression.error(of, CODE, message, "read the series that ends in _bucket")


def _is_bucket(expression: Expression, node: Node) -> bool:
    if not isinstance(node, Select):
        return False
    unknown = expression.world.metric(node.selector.name) is None
    named = unknown and node.selector.name.endswith("_bucket")
    return named or expression.analysis[node].kind == "bucket"


def _is_none(expression: Expression, of: Node) -> bool:
    """Whether all that is read is known to be something else."""
    selected = [each for each in walk(of) if isinstance(each, Select)]
    return bool(selected) and all(
        expression.analysis[each].kind not in ("unknown", "bucket") for each in selected
    )


def _loses(expression: Expression, of: Node) -> Node:
    """The innermost node without the label whose operands have it; the operand where it never was there."""
    for node in walk(of):
        below = children(node)
        has = any(expression.analysis[each].labels.can_have("le") for each in below)
        if has and not expression.analysis[node].labels.can_have("le"):
            return node
    return of


def _hint(expression: Expression, lost: Node) -> str:
    if not isinstance(lost, Aggregate):
        return "keep 'le'"
    if lost.by is None:
        return "remove 'le' from 'without'"
    return f"{lost.name} by ({', '.join((*lost.by, 'le'))}) ({expression.text(lost.expr)})"
