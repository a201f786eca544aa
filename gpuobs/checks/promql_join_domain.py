"""A join on labels that have one name and mean different things.

`pod` of dcgm-exporter's series is the exporter's own pod where the scrape does not honour labels,
and that of `kube_pod_labels` is the workload's. `gpu` is an index that every node has, so a grouping by it alone
puts one GPU of every node into each group. A pod's
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
from gpuobs.checks._joins import OF_TARGET, Join, Side, joins, means
from gpuobs.checks._labels import Use, another_domain, metric, own_label_hint, uses
from gpuobs.diagnostics import Diagnostic
from gpuobs.exporters import ExporterInUse
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql import nodes, walk
from gpuobs.promql.nodes import Aggregate, Call, Node, Select
from gpuobs.promql.shapes import Shape

CODE = "promql/join-domain"
SEVERITY = "error"
# What puts values of several GPUs into one; how many there are of an index is a question of its own.
_MIXING = frozenset({"sum", "avg", "min", "max", "quantile", "stddev", "stdvar"})
# Other words for the index, of exporters and of enrichment.
_INDICES = frozenset({"gpu_index", "device", "gpu_id"})
_PLACES = ("node", "host", "instance", "pod", "uuid", "pci")
_PODS = ("pod", "exported_pod")
_WITHIN = frozenset({"namespace", "exported_namespace", "uid", "pod_uid"})


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for use in uses(expression):
            if another_domain(expression, use):
                message = f"'{use.label}' of '{metric(use)}' is the exporter's own, and not the workload's"
                yield expression.error(use.at, CODE, message, _renamed(expression, use))
        for node in expression.analysis.of(Aggregate):
            yield from _grouped(expression, node)
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


def _grouped(expression: Expression, node: Aggregate) -> Iterator[Diagnostic]:
    """A grouping by the index of a GPU and by nothing that says of which node it is."""
    shape, grouping = expression.analysis[node.expr], node.grouping
    exporter = _of_gpus(expression, shape)
    if exporter is None or grouping is None or not node.by or node.name not in _MIXING:
        return
    index = exporter.label(names.GPU) or names.GPU
    host = next((each for each in _hosts(exporter) if each in shape.labels.certain), None)
    indices = {index, *_INDICES}
    wide = {exporter.label(each) for each in (names.CLUSTER, names.POOL, names.MODEL)}
    if host is None or indices.isdisjoint(node.by) or set(node.by) - indices - wide - {"job"}:
        return
    at_all = expression.world.count(shape.labels.keep((host,)), shape.scope)
    if at_all and at_all > 1 and not _is_narrowed(expression, node, OF_TARGET | wide):
        at = next((start, end) for label, start, end in grouping.labels if label in indices)
        message = f"each of the {at_all} nodes has a GPU of this index: '{node.name}' mixes them"
        rest = [label for label in node.by if label not in indices]
        hint = f"add the node: by ({', '.join((*rest, host, index))})"
        yield expression.warning(at, CODE, message, hint)


def _is_narrowed(expression: Expression, node: Node, wide: frozenset[str | None]) -> bool:
    """Whether a matcher may pick one node: by a label of the device, or by one whose name speaks of such a place."""
    for each in walk(node):
        if isinstance(each, Select):
            series = expression.world.metric(each.selector.name)
            of_device = series.labels.possible - wide if series is not None else frozenset()
            for matcher in each.selector.matchers:
                told = any(place in matcher.label.lower() for place in _PLACES)
                if told or matcher.label in of_device:
                    return True
    return False


def _hosts(exporter: ExporterInUse) -> tuple[str, ...]:
    """What the node is called in series of an exporter, and in those that gpuobs records of them."""
    return exporter.label(names.NODE) or names.NODE, names.NODE


def _of_gpus(expression: Expression, shape: Shape) -> ExporterInUse | None:
    policy = expression.program.policy
    assert policy is not None
    used = [each for each in policy.exporters if each.catalog.name in shape.scope]
    return used[0] if len(used) == 1 and used[0].catalog.vendor else None


def _ports(expression: Expression, join: Join) -> Iterator[Diagnostic]:
    left, right = join.left.shape.labels, join.right.shape.labels
    jobs = _jobs(expression, join.left), _jobs(expression, join.right)
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


def _jobs(expression: Expression, side: Side) -> frozenset[str] | None:
    """The jobs that the series of a side come from; None where one of them is not known."""
    if "job" in side.shape.labels.values:
        return side.shape.labels.values["job"]
    selects = [each for each in walk(side.node) if isinstance(each, Select)]
    found = [expression.analysis[each].labels.values.get("job") for each in selects]
    known = [each for each in found if each is not None]
    return frozenset[str]().union(*known) if known and len(known) == len(found) else None
