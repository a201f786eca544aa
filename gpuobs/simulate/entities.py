"""The fleet, thing by thing: targets, nodes, GPUs, MIG instances, links, and the pods that hold them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count, groupby

from gpuobs import names
from gpuobs.exporters import ExporterInUse
from gpuobs.policy import Policy
from gpuobs.spec.model import Cluster, GpuModel, MetricCatalog, Pool, Workloads
from gpuobs.spec.scalars import LabelName

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
    """What one series stands for: labels by canonical name and as they are written, and who holds it.

    `key` names it in the fleet, such as `NODE/gpu3` or, of a MIG instance, `NODE/gpu3/1`.
    """

    kind: str
    key: str
    canonical: Mapping[str, str] = field(default_factory=dict)
    raw: Mapping[str, str] = field(default_factory=dict)
    holders: tuple[Holder, ...] = ()

    @property
    def board(self) -> str:
        """The GPU that it is, or is a part of; else itself."""
        return "/".join(self.key.split("/")[:2])


@dataclass(frozen=True, slots=True)
class Target:
    """One exporter where Prometheus scrapes it."""

    exporter: ExporterInUse
    cluster: Cluster
    node: Node | None
    number: int
    entities: tuple[Entity, ...] = field(repr=False)

    @property
    def job(self) -> str:
        return self.exporter.spec.job

    @property
    def address(self) -> str:
        """Host and port as service discovery gives it; the host is unique in the fleet."""
        usual = self.exporter.catalog.usual
        port = usual.port_number if usual else 8080
        number = self.number + 1
        return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}:{port}"

    @property
    def path(self) -> str:
        """Path of its metrics."""
        endpoint, usual = self.exporter.spec.endpoint, self.exporter.catalog.usual
        return endpoint.path if endpoint else usual.path if usual else "/metrics"

    @property
    def name(self) -> str:
        """The node that it stands on, or the exporter's pod."""
        return self.node.name if self.node else f"{self.exporter.catalog.name}-{self.number}"


def targets(policy: Policy) -> tuple[Target, ...]:
    """Every target of the fleet, in the order of exporters, clusters, pools and nodes."""
    found: list[Target] = []
    nodes = tuple(_nodes(policy))
    devices = _devices(nodes)
    storage = policy.fleet.storage
    replicas = storage.replicas if storage else _REPLICAS
    for exporter in policy.exporters:
        for cluster in policy.fleet.clusters:
            own = [node for node in nodes if node.cluster is cluster]
            vendor = exporter.catalog.vendor
            if exporter.on_nodes:
                for node in own:
                    if vendor in ("", node.model.vendor):
                        held = devices[node.number] if vendor else ()
                        entities = (*held, *_of_node(node, exporter.catalog))
                        found.append(Target(exporter, cluster, node, len(found), entities))
                continue
            entities = tuple(_beside(own, devices))
            for _ in range(replicas if exporter.catalog.name == "prometheus" else 1):
                found.append(Target(exporter, cluster, None, len(found), entities))
    return tuple(found)


def _nodes(policy: Policy) -> Iterator[Node]:
    number = 0
    for cluster, pool, model in policy.pools:
        for index in range(pool.nodes):
            yield Node(number, f"{cluster.name}-{pool.name}-{index:04d}", cluster, pool, model)
            number += 1


def _devices(nodes: Iterable[Node]) -> dict[int, tuple[Entity, ...]]:
    """The GPUs of each node, or their MIG instances, and their links. Pods hold those of one pool only."""
    found: dict[int, tuple[Entity, ...]] = {}
    first = 0
    for _, pool in groupby(nodes, lambda node: (node.cluster.name, node.pool.name)):
        places = count()
        for node in pool:
            found[node.number] = tuple(_of_gpus(node, first, places))
        first = 1 + max(h.number for each in found[node.number] for h in each.holders)
    return found


def _of_gpus(node: Node, first: int, places: Iterator[int]) -> Iterator[Entity]:
    for index in range(node.pool.gpus_per_node):
        gpu = _gpu(node, index)
        profiles = [p for p, number in node.pool.mig.items() for _ in range(number)]
        for instance, profile in enumerate(profiles, 1):
            cut = {names.MIG_PROFILE: profile, names.MIG_INSTANCE: str(instance)}
            yield replace(
                gpu,
                kind="instance",
                key=f"{gpu.key}/{instance}",
                canonical={**gpu.canonical, **cut},
                holders=tuple(_holders(node.cluster.workloads, first, next(places))),
            )
        if not profiles:
            holders = _holders(node.cluster.workloads, first, next(places))
            yield replace(gpu, holders=tuple(holders))
        for link in range(node.model.nvlinks):
            raw = {"nvlink": str(link), **_called_by_links(gpu)}
            yield Entity("link", f"{gpu.key}/link{link}", gpu.canonical, {**gpu.raw, **raw})


def _called_by_links(gpu: Entity) -> dict[str, str]:
    """What the series of links call what others call UUID, modelName and Hostname."""
    of = gpu.canonical
    return {
        "gpu_uuid": of[names.GPU_UUID],
        "model_name": of[names.MODEL],
        "hostname": of[names.NODE],
    }


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


def _holders(loads: Workloads | None, first: int, place: int) -> Iterator[Holder]:
    """The places for pods on the GPU or instance with this number in its pool, whose first pod has the number `first`."""
    shared = loads.pods_per_gpu if loads else 1
    lifetime = loads.pod_lifetime.seconds if loads else _LIFETIME
    group = place // (loads.gpus_per_pod if loads else 1)
    for number in range(first + group * shared, first + (group + 1) * shared):
        # The golden ratio spreads any number of phases evenly.
        phase = (number * 0.618033988749895 % 1) * lifetime
        yield Holder(number, _NAMESPACES[number % len(_NAMESPACES)], lifetime, phase)


def _of_node(node: Node, catalog: MetricCatalog) -> Iterator[Entity]:
    """The node itself, and what it has besides GPUs, numbered in the first of the labels that the exporter gives it."""
    has, at = node.pool.per_node, {names.NODE: node.name}
    yield Entity("node", node.name, at)
    if has is None:
        return
    counts = {"switch": has.switches, "cpu": has.cpus, "cpu-core": has.cpu_cores, "nic": has.nics}
    of_node = catalog.identity.get(LabelName(names.NODE))
    for kind, number in counts.items():
        labels = [each for each in catalog.entity_labels.get(kind, (kind,)) if each != of_node]
        # Where no label tells them apart, there can be one only.
        for index in range(number if labels else min(number, 1)):
            cpu = str(index * has.cpus // number)
            of_cpu = {"cpu": cpu, "package": cpu} if kind in ("cpu", "cpu-core") else {}
            raw = {**of_cpu, **{str(label): str(index) for label in labels[:1]}}
            yield Entity(kind, f"{node.name}/{kind}{index}", at, raw)


def _beside(nodes: list[Node], devices: Mapping[int, tuple[Entity, ...]]) -> Iterator[Entity]:
    """What an exporter beside the pools writes of: itself, the nodes, and each pod that holds GPUs once."""
    yield Entity("target", "target")
    seen: set[int] = set()
    for node in nodes:
        yield Entity("node", node.name, {names.NODE: node.name}, {"node": node.name})
        # A pod stands on one node, the first of which it has some GPUs.
        held = {h.number: h for entity in devices[node.number] for h in entity.holders}
        for number in sorted(held.keys() - seen):
            yield Entity("pod", f"pod{number}", {}, {"node": node.name}, (held[number],))
        seen |= held.keys()
