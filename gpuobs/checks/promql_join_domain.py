"""A join on labels that have one name and mean different things.

`pod` of dcgm-exporter's series is the exporter's own pod where the scrape does not honour labels,
and that of `kube_pod_labels` is the workload's. `gpu` is an index that every node has. A pod's
name is unique in its namespace only. An `instance` has the port of its exporter.

Bad:

```yaml
alerts:
  - name: GpuHotUnderLoad
    tier: info
    expr: DCGM_FI_DEV_GPU_TEMP > 80 and on (gpu) DCGM_FI_DEV_POWER_USAGE > 600
    summary: NVIDIA GPU {{ $labels.gpu }} is hot under load
    scenarios:
      - name: one hot GPU
        series:
          'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30'
          'DCGM_FI_DEV_POWER_USAGE{Hostname="n1"}': '650x30'
        fires: [{at: 20m, labels: {Hostname: n1}}]
```

Good:

```yaml
alerts:
  - name: GpuHotUnderLoad
    tier: info
    expr: DCGM_FI_DEV_GPU_TEMP > 80 and on (Hostname, gpu) DCGM_FI_DEV_POWER_USAGE > 600
    summary: NVIDIA GPU {{ $labels.gpu }} is hot under load
    scenarios:
      - name: one hot GPU
        series:
          'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30'
          'DCGM_FI_DEV_POWER_USAGE{Hostname="n1"}': '650x30'
        fires: [{at: 20m, labels: {Hostname: n1}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import names
from gpuobs.checks._joins import Join, joins, means
from gpuobs.checks._labels import Use, another_domain, metric, own_label_hint, uses
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql import nodes, walk
from gpuobs.promql.nodes import Call, Select

CODE = "promql/join-domain"
SEVERITY = "error"
_PODS = ("pod", "exported_pod")
_WITHIN = frozenset({"namespace", "exported_namespace", "uid", "pod_uid"})


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for use in uses(expression):
            if another_domain(expression, use):
                message = f"'{use.label}' of '{metric(use)}' is the exporter's own, and not the workload's"
                yield expression.error(use.at, CODE, message, _renamed(expression, use))
        for join in joins(expression):
            if join.on is not None and not join.apart:
                yield from _without_namespace(expression, join)
                yield from _index(expression, join)
                yield from _ports(expression, join)


def _renamed(expression: Expression, use: Use) -> str:
    hint = own_label_hint(expression, use)
    if "honorLabels" in hint:
        return hint
    text = expression.text(nodes.bare(use.operand))
    for each in uses(expression):
        if each.operand is use.operand and another_domain(expression, each):
            text = f'label_replace({text}, "{each.label}", "$1", "exported_{each.label}", "(.*)")'
    return f"{hint}; rename it for the join: {text}"


def _without_namespace(expression: Expression, join: Join) -> Iterator[Diagnostic]:
    assert join.node.matching is not None
    sides = (join.left.shape.labels, join.right.shape.labels)
    apart = all(any(labels.can_have(each) for each in _WITHIN) for labels in sides)
    if not apart or not _WITHIN.isdisjoint(join.on or ()) or not _of_pods(expression, join):
        return
    for label, start, end in join.node.matching.labels:
        if label in _PODS:
            message = (
                f"two namespaces can have a pod of one name, and '{label}' is all that is matched"
            )
            hint = f"add the namespace: on ({label.replace('pod', 'namespace')}, {label})"
            yield expression.warning((start, end), CODE, message, hint)


def _of_pods(expression: Expression, join: Join) -> bool:
    """Whether a catalog says that series of the join are of pods."""
    policy = expression.program.policy
    assert policy is not None
    found = (
        policy.known.get(each.selector.name) for each in walk(join.node) if isinstance(each, Select)
    )
    return any(each is not None and "pod" in each[1].workload_labels for each in found)


def _index(expression: Expression, join: Join) -> Iterator[Diagnostic]:
    """The index of a GPU in a set operation; in others the sides repeat, which is an error of its own."""
    if not join.is_set or join.on is None or join.node.matching is None:
        return
    left, right = (means(expression, side.shape) for side in (join.left, join.right))
    index, host = left.get(names.GPU), left.get(names.NODE)
    told = {left.get(names.GPU_UUID), host, "instance", "pci_bus_id"}
    if index not in join.on or host is None or not told.isdisjoint(join.on):
        return
    at_all = expression.world.count(join.left.shape.labels.keep((host,)), join.left.shape.scope)
    if at_all and at_all > 1 and names.NODE in right:
        start, end = next((s, e) for label, s, e in join.node.matching.labels if label == index)
        message = (
            f"each of the {at_all} nodes has a GPU of this index: those of other nodes match too"
        )
        hint = f"add the node: on ({host}, {', '.join(join.on)})"
        if right[names.NODE] != host:
            other = expression.text(join.right.node)
            hint += f' label_replace({other}, "{host}", "$1", "{right[names.NODE]}", "(.*)")'
        yield expression.counted((start, end), CODE, message, hint)


def _ports(expression: Expression, join: Join) -> Iterator[Diagnostic]:
    left, right = join.left.shape.labels, join.right.shape.labels
    jobs = left.values.get("job"), right.values.get("job")
    renamed = any(
        isinstance(each, Call) and each.name == "label_replace" for each in walk(join.node)
    )
    if jobs[0] is None or jobs[1] is None or jobs[0] & jobs[1] or renamed:
        return
    if left.open or right.open or not join.left.shape.scope or not join.right.shape.scope:
        return
    assert join.node.matching is not None
    for label, start, end in join.node.matching.labels:
        if label == "instance":
            message = "'instance' has the port of its exporter, which differs between these jobs"
            hint = "match on the node, or relabel 'instance' to it in both scrapes"
            yield expression.warning((start, end), CODE, message, hint)
