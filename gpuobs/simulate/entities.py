"""The fleet, thing by thing: targets, GPUs, MIG instances, links and pods, and the series that exporters write of them.

This is the second count of a fleet: it makes each series where `gpuobs.budget` multiplies.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from gpuobs import names
from gpuobs.policy import EVERY_TARGET, ExporterInUse, Policy, series_of
from gpuobs.spec.model import Cluster, GpuModel, Metric, Pool, Workloads

_RULE_MADE = ("ALERTS", "ALERTS_FOR_STATE")
_REPLICAS = 2  # of Prometheus, where the fleet does not say
_LIFETIME = 4 * 3600.0
_NAMESPACES = ("team-a", "team-b", "team-c")


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a pool. `number` counts nodes over the whole fleet."""

    number: int
    name: str
    cluster: Cluster
    pool: Pool
    model: GpuModel


@dataclass(frozen=True, slots=True)
class Holder:
    """A place for a pod: one pod after the other holds the same GPUs, each for `lifetime` seconds.

    `phase` in seconds spreads the ends of pods evenly, so that they do not all end at once.
    """

    number: int
    namespace: str
    lifetime: float
    phase: float

    def pod(self, at: float) -> str:
        """Name of the pod that holds it at a time."""
        return f"job-{self.number:05d}-{math.floor((at + self.phase) / self.lifetime):04d}"


@dataclass(frozen=True, slots=True)
class Entity:
    """What one series stands for: labels by canonical name, and who holds it."""

    kind: str
    key: str
    canonical: Mapping[str, str] = field(default_factory=dict)
    raw: Mapping[str, str] = field(default_factory=dict)
    holders: tuple[Holder, ...] = ()


@dataclass(frozen=True, slots=True)
class Series:
    """One series as an exporter writes it. Where a pod holds its entity, its labels are the holder's too."""

    name: str
    metric: Metric
    labels: tuple[tuple[str, str], ...]
    entity: Entity
    holder: Holder | None = None
    part: str = ""  # of a histogram: bucket, sum or count


@dataclass(frozen=True)
class Target:
    """One exporter where Prometheus scrapes it."""

    exporter: ExporterInUse
    cluster: Cluster
    node: Node | None
    number: int
    entities: tuple[Entity, ...] = field(repr=False)
    stated: Mapping[str, int] = field(repr=False)  # the Budget's numbers of values, by label

    @property
    def job(self) -> str:
        return self.exporter.spec.job

    @property
    def address(self) -> str:
        """Host and port as service discovery gives it; the host is unique in the fleet."""
        usual = self.exporter.catalog.usual
        port = usual.port_number if usual and usual.port_number else 8080
        number = self.number + 1
        return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}:{port}"

    @property
    def name(self) -> str:
        """The node that it stands on, or the exporter's pod."""
        return self.node.name if self.node else f"{self.exporter.catalog.name}-{self.number}"

    @cached_property
    def series(self) -> tuple[Series, ...]:
        """Every series that it can write."""
        return tuple(_series(self))


def targets(policy: Policy) -> tuple[Target, ...]:
    """Every target of the fleet, in the order of exporters, clusters, pools and nodes."""
    found: list[Target] = []
    labels = policy.budget.labels if policy.budget else None
    stated = {str(label): count for label, count in labels.values.items()} if labels else {}
    nodes = tuple(_nodes(policy))
    holders = {node.number: tuple(_devices(node)) for node in nodes}
    for exporter in policy.exporters:
        for cluster in policy.fleet.clusters:
            own = [node for node in nodes if node.cluster is cluster]
            if exporter.catalog.vendor:
                for node in own:
                    if node.model.vendor == exporter.catalog.vendor:
                        entities = (*holders[node.number], *_of_node(node))
                        found.append(Target(exporter, cluster, node, len(found), entities, stated))
                continue
            storage = policy.fleet.storage
            replicas = storage.replicas if storage else _REPLICAS
            for _ in range(replicas if exporter.catalog.name == "prometheus" else 1):
                entities = tuple(_beside(own, holders))
                found.append(Target(exporter, cluster, None, len(found), entities, stated))
    return tuple(found)


# Things --------------------------------------------------------------------------------------------------------------


def _nodes(policy: Policy) -> Iterator[Node]:
    number = 0
    for cluster, pool, model in policy.pools:
        for index in range(pool.nodes):
            yield Node(number, f"{cluster.name}-{pool.name}-{index:04d}", cluster, pool, model)
            number += 1


def _devices(node: Node) -> Iterator[Entity]:
    """The GPUs of a node, or their MIG instances, and their links."""
    loads = node.cluster.workloads
    per_gpu = loads.gpus_per_pod if loads else 1
    for index in range(node.pool.gpus_per_node):
        gpu = _gpu(node, index)
        instances = [p for p, count in node.pool.mig.items() for _ in range(count)]
        first = node.number * node.pool.gpus_per_node + index
        for number, profile in enumerate(instances or [""]):
            place = first * max(1, len(instances)) + number
            cut = {names.MIG_PROFILE: profile, names.MIG_INSTANCE: str(number + 1)}
            yield Entity(
                kind="instance" if profile else "gpu",
                key=f"{node.name}/gpu{index}" + (f"/{number + 1}" if profile else ""),
                canonical={**gpu.canonical, **(cut if profile else {})},
                raw=gpu.raw,
                holders=tuple(_holders(loads, place // per_gpu)),
            )
        for link in range(node.model.nvlinks):
            uuid, model = gpu.canonical[names.GPU_UUID], gpu.canonical[names.MODEL]
            raw = {
                "nvlink": str(link),
                "gpu_uuid": uuid,
                "model_name": model,
                "hostname": node.name,
            }
            yield Entity("link", f"{gpu.key}/link{link}", gpu.canonical, {**gpu.raw, **raw})


def _gpu(node: Node, index: int) -> Entity:
    digest = hashlib.sha256(f"{node.name}/{index}".encode()).hexdigest()
    uuid = f"GPU-{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}"
    canonical = {
        names.NODE: node.name,
        names.GPU: str(index),
        names.GPU_UUID: uuid,
        names.MODEL: node.model.model_label or node.model.name,
    }
    raw = {"pci_bus_id": f"00000000:{16 + index:02X}:00.0", "device": f"nvidia{index}"}
    return Entity("gpu", f"{node.name}/gpu{index}", canonical, raw)


def _holders(loads: Workloads | None, place: int) -> Iterator[Holder]:
    """The places for pods on one GPU or instance."""
    count = loads.pods_per_gpu if loads else 1
    lifetime = loads.pod_lifetime.seconds if loads else _LIFETIME
    for each in range(count):
        number = place * count + each
        # The golden ratio spreads any number of phases evenly.
        phase = (number * 0.618033988749895 % 1) * lifetime
        yield Holder(number, _NAMESPACES[number % len(_NAMESPACES)], lifetime, phase)


def _of_node(node: Node) -> Iterator[Entity]:
    """The node itself, and what it has besides GPUs."""
    has, at = node.pool.per_node, {names.NODE: node.name}
    yield Entity("node", node.name, at)
    counts = {
        ("switch", "nvswitch"): has.switches if has else 0,
        ("cpu", "cpu"): has.cpus if has else 0,
        ("cpu-core", "cpucore"): has.cpu_cores if has else 0,
        ("nic", "device"): has.nics if has else 0,
    }
    for (kind, label), count in counts.items():
        for index in range(count):
            yield Entity(kind, f"{node.name}/{kind}{index}", at, {label: str(index)})


def _beside(nodes: list[Node], devices: Mapping[int, tuple[Entity, ...]]) -> Iterator[Entity]:
    """What an exporter beside the pools writes of: itself, the nodes, and each pod that holds GPUs once."""
    yield Entity("target", "target")
    for node in nodes:
        yield Entity("node", node.name, {names.NODE: node.name}, {"node": node.name})
        held = {h.number: h for entity in devices[node.number] for h in entity.holders}
        for holder in held.values():
            # A pod's GPUs stand on one node, which is the first that has some of them.
            if not _held_before(node, holder, devices):
                yield Entity("pod", f"pod{holder.number}", {}, {"node": node.name}, (holder,))


def _held_before(node: Node, holder: Holder, devices: Mapping[int, tuple[Entity, ...]]) -> bool:
    before = devices.get(node.number - 1, ())
    return any(holder.number == h.number for entity in before for h in entity.holders)


# Series --------------------------------------------------------------------------------------------------------------

_KINDS = {
    "gpu": ("gpu", "instance"),
    "slice": ("gpu", "instance"),
    "container": ("pod",),
    "global": ("target",),
}


def _series(target: Target) -> Iterator[Series]:
    for name, metric in target.exporter.collected():
        if EVERY_TARGET in metric.groups or name in _RULE_MADE or not _supported(target, metric):
            continue
        wanted = _KINDS.get(metric.per, (metric.per,))
        entities = [entity for entity in target.entities if entity.kind in wanted]
        if metric.per == "node" and target.node:
            entities = [entity for entity in target.entities if entity.kind == "node"]
        for written, part in series_of(name, metric):
            for entity in entities:
                yield from _of_entity(target, written, part, entity)


def _supported(target: Target, metric: Metric) -> bool:
    if target.node is None:
        return True
    model, mig = target.node.model, bool(target.node.pool.mig)
    lacking = {model.name, model.architecture, "mig" if mig else model.name}
    return not lacking & set(metric.unsupported) and metric.name not in model.unsupported


def _of_entity(target: Target, name: str, metric: Metric, entity: Entity) -> Iterator[Series]:
    labels = _labels(target, metric, entity)
    holders: tuple[Holder | None, ...] = (None,)
    loads = target.cluster.workloads
    named = loads is None or loads.identity == "dcgm-pod-labels" or target.node is None
    if named and entity.holders and target.exporter.catalog.workload_labels:
        holders = entity.holders
    for each in _each(target, metric):
        for holder in holders:
            written = tuple(sorted({**labels, **each}.items()))
            yield Series(name, metric, written, entity, holder)


def _labels(target: Target, metric: Metric, entity: Entity) -> dict[str, str]:
    """An entity's labels as this version of the exporter writes them."""
    exporter, catalog = target.exporter, target.exporter.catalog
    canonical = {str(raw): str(name) for name, raw in catalog.identity.items()}
    written = [*catalog.entity_labels.get(metric.per, ()), *metric.labels]
    rare = {*catalog.sometimes.get(metric.per, ()), *metric.sometimes}
    found = {}
    for label in map(str, written):
        if label in exporter.not_yet or label in metric.each:
            continue
        own = entity.canonical.get(canonical.get(label, ""), entity.raw.get(label, ""))
        value = own or ("" if label in rare else _some_value(metric, label, entity))
        if value:
            found[exporter.renames.get(label, label)] = value
    if metric.per in ("gpu", "slice", "vgpu", "link") or metric.per in catalog.entity_labels:
        found |= {name: _VERSIONS.get(name, "1") for name in exporter.metrics_as_labels}
    return found


_VERSIONS = {"DCGM_FI_DRIVER_VERSION": "570.124.06"}


def _some_value(metric: Metric, label: str, entity: Entity) -> str:
    """A value for a label that follows the entity, and of which the fleet says nothing."""
    known = {str(name): values for name, values in metric.values.items()}.get(label)
    if known:
        return known[0]
    return entity.key if label in ("uid", "provider_id", "system_uuid") else "none"


def _each(target: Target, metric: Metric) -> Iterator[dict[str, str]]:
    """Combinations of the labels of which an entity has a series for each value; none where nobody bounds them."""
    columns = []
    for label, count in metric.each.items():
        number = target.stated.get(str(label), count)
        if str(label) == "peer_gpu" and target.node:
            number = target.node.pool.gpus_per_node - 1
        known = {str(name): values for name, values in metric.values.items()}.get(str(label), ())
        if number == 1 and label in metric.sometimes:
            columns.append([("", "")])
            continue
        values = [*known[:number], *(str(i) for i in range(number - len(known)))]
        columns.append([(str(label), value) for value in values])
    for row in product(*columns):
        yield {target.exporter.renames.get(label, label): value for label, value in row if label}
