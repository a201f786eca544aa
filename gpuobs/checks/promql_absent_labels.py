"""A test for absence that meets no partner, or is meant for each GPU and is not.

`absent()` is one sample for all series together, and it only has the labels of its `=` matchers.
Joined with series that have others, or with another `absent()`, it never matches. And
`absent(x{gpu="3"})` is true only when no node at all has a GPU 3 any more. `x offset 15m unless x` has every series that
ended, also that of a GPU whose pod has changed: match on the GPU.

Bad:

```yaml
alerts:
  - name: GpuGone
    tier: info
    expr: up{job="dcgm-exporter"} == 1 and absent(DCGM_FI_DEV_GPU_TEMP)
    summary: no GPU is reported
    scenarios:
      - name: metrics stop
        series: {'up{job="dcgm-exporter"}': '1x30'}
        fires: [{at: 20m, labels: {tier: info}}]
```

Good:

```yaml
alerts:
  - name: GpuGone
    tier: info
    expr: up{job="dcgm-exporter"} == 1 and on () absent(DCGM_FI_DEV_GPU_TEMP)
    summary: no GPU is reported
    scenarios:
      - name: metrics stop
        series: {'up{job="dcgm-exporter"}': '1x30'}
        fires: [{at: 20m, labels: {tier: info}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gpuobs import names
from gpuobs.checks._hints import gone, told_apart
from gpuobs.checks._joins import Join, absences, joins, listed
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql import nodes
from gpuobs.promql.nodes import Call, Select

CODE = "promql/absent-labels"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        apart = {absent: join for join in joins(expression) for absent in _apart(join)}
        for join in joins(expression) if expression.alert is not None else ():
            yield from _of_each_pod(expression, join)
        for node in expression.analysis.of(Call):
            if node in apart:
                yield _never_meets(expression, apart[node], node)
            elif node.name in ("absent", "absent_over_time"):
                yield from _of_one_gpu(expression, node)


def _apart(join: Join) -> Iterator[Call]:
    """The first `absent()` of a join whose sides never match."""
    if join.node.name != "or" and join.on is None and join.apart:
        found = (call for side in (join.left, join.right) for call in absences(side.node))
        yield from islice(found, 1)


def _never_meets(expression: Expression, join: Join, absent: Call) -> Diagnostic:
    labels = expression.analysis[absent].labels.possible
    has = f"only has {listed(tuple(sorted(labels)))}" if labels else "has no labels"
    message = f"'{expression.text(absent)}' {has}: it never matches the other side"
    hint = f"where one holds for all: {join.node.operator.text} on ()"
    select = next((each for each in nodes.walk(absent) if isinstance(each, Select)), None)
    if select is not None and not (join.left.single and join.right.single):
        hint += f"; for each of them: {gone(expression, select)}"
    return expression.error((join.node.operator.start, join.node.end), CODE, message, hint)


def _of_each_pod(expression: Expression, join: Join) -> Iterator[Diagnostic]:
    """Series that ended, of an exporter that writes the pod of a GPU on them."""
    before, now = nodes.bare(join.left.node), nodes.bare(join.right.node)
    if join.node.name != "unless" or join.node.matching is not None:
        return
    if not isinstance(before, Select) or not isinstance(now, Select) or not before.offset:
        return
    policy, name = expression.program.policy, before.selector.name
    assert policy is not None
    found = policy.collected.get(name)
    if found is None or now.selector.name != name or not told_apart(expression, join.left.shape):
        return
    workloads = map(found.exporter.workload_label, found.exporter.catalog.workload_labels)
    if any(join.left.shape.labels.can_have(label) for label in workloads):
        message = "this also has the GPUs whose pod has changed, since their series end with it"
        yield expression.warning(join.node, CODE, message, gone(expression, before))


def _of_one_gpu(expression: Expression, node: Call) -> Iterator[Diagnostic]:
    """One index is on every node."""
    select = nodes.bare(node.args[0])
    policy = expression.program.policy
    assert policy is not None
    if not isinstance(select, Select) or select.selector.name not in policy.collected:
        return
    collected = policy.collected[select.selector.name]
    index, host = (collected.exporter.label(label) for label in (names.GPU, names.NODE))
    named = {m.label: m.value for m in select.selector.matchers if m.op == "="}
    shape = expression.analysis[select]
    at_all = expression.world.count(shape.labels.keep((host or "",)), shape.scope)
    unlike = {m.label for m in select.selector.matchers} - {"job", index}
    if index not in named or unlike or not collected.exporter.catalog.vendor or (at_all or 0) < 2:
        return
    message = f"this is true only when GPU '{named[index]}' is missing on all {at_all} nodes"
    hint = f"for each GPU: {gone(expression, select, without=(index,))}"
    yield expression.counted(node, CODE, message, hint)
