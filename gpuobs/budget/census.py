"""What exporters write: for each metric the entities that have series of it, and how many each has."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from gpuobs import names
from gpuobs.exporters import EVERY_TARGET, ExporterInUse
from gpuobs.policy import Policy
from gpuobs.spec.model import Cluster, Fleet, GpuModel, Metric, Pool, Workloads

# What Prometheus adds for each target (scrape/scrape.go, report()).
OF_A_SCRAPE = (
    "up",
    "scrape_duration_seconds",
    "scrape_samples_scraped",
    "scrape_samples_post_metric_relabeling",
    "scrape_series_added",
)
DEFAULT_REPLICAS = 2
_POD_LIFETIME = 4 * 3600.0  # where a cluster says nothing of its workloads
_OF_PODS = ("pod", "container")
# In Prometheus' catalog, and written by its rules.
OF_ALERTS = ("ALERTS", "ALERTS_FOR_STATE")
_ONE = {
    "nodes": "node",
    "GPUs": "GPU",
    "MIG instances": "MIG instance",
    "links": "link",
    "switches": "switch",
    "CPUs": "CPU",
    "CPU cores": "CPU core",
    "network ports": "network port",
    "pods": "pod",
    "pods that hold GPUs": "pod that holds GPUs",
    "targets": "target",
    "pools": "pool",
    "models": "model",
    "vendors": "vendor",
    "clusters": "cluster",
}


@dataclass(frozen=True, slots=True)
class Factor:
    """A number of a product, with what it counts: things, or the values that a label has for one of them."""

    count: int
    what: str
    of_label: bool = False

    def __str__(self) -> str:
        if self.of_label:
            return f"{self.count:,} {'value' if self.count == 1 else 'values'} of {self.what}"
        return f"{self.count:,} {_ONE.get(self.what, self.what) if self.count == 1 else self.what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The series of one metric in one pool, or in one cluster where the exporter stands beside the pools.

    `renewed` is how often in a second one of its series ends and another takes its place. `unbounded` are labels that
    multiply, and of which nobody says how many values they have.
    """

    cluster: str
    pool: str
    exporter: ExporterInUse
    name: str
    metric: Metric
    factors: tuple[Factor, ...]
    renewed: float = 0
    unbounded: tuple[str, ...] = ()

    @property
    def at_most(self) -> int | None:
        """Series that it can have at a time; None where nothing bounds them."""
        return None if self.unbounded else math.prod(factor.count for factor in self.factors)

    @property
    def active(self) -> int:
        """Series that it has while nothing happens."""
        return 0 if self.metric.on_event else self.at_most or 0

    def churned(self, seconds: float) -> float:
        """Series that ended within some seconds and are still in the head."""
        return self.active * self.renewed * seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """The targets of one exporter in one pool, or in one cluster."""

    cluster: str
    pool: str
    exporter: ExporterInUse
    count: int


class _OneCluster:
    """A key for what one cluster's Prometheus sees: equal where a change of the policy is about something else."""

    def __init__(self, policy: Policy, cluster: Cluster) -> None:
        self.policy, self.cluster = policy, cluster

    def __hash__(self) -> int:
        return id(self.cluster)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _OneCluster)
            and self.cluster is other.cluster
            and self.policy.exporters is other.policy.exporters
            and self.policy.budget is other.policy.budget
            and self._settings() == other._settings()
        )

    def _settings(self) -> Fleet:
        return replace(self.policy.fleet, clusters=(self.cluster,))


def of_cluster(policy: Policy, cluster: Cluster) -> Policy:
    """The policy as one cluster's Prometheus sees it: the same object for policies that differ elsewhere only."""
    return _of_cluster(_OneCluster(policy, cluster))


@lru_cache(maxsize=256)
def _of_cluster(key: _OneCluster) -> Policy:
    return replace(key.policy, fleet=replace(key.policy.fleet, clusters=(key.cluster,)))


@lru_cache(maxsize=256)
def lines(policy: Policy, rule_groups: int = 0) -> tuple[Line, ...]:
    """Every metric that the fleet collects, pool by pool. Prometheus has series of its own for each rule group."""
    clusters = policy.fleet.clusters
    if len(clusters) == 1:
        return tuple(_lines(policy, rule_groups))
    parts = (lines(of_cluster(policy, cluster), rule_groups) for cluster in clusters)
    return tuple(line for part in parts for line in part)


@lru_cache(maxsize=64)
def targets(policy: Policy) -> tuple[Targets, ...]:
    """What is scraped: exporters of GPUs and of hosts on each node, Prometheus' replicas, and one of every other a cluster."""
    storage = policy.fleet.storage
    replicas = storage.replicas if storage else DEFAULT_REPLICAS
    found = []
    for exporter in policy.exporters:
        for cluster in policy.fleet.clusters:
            name, catalog = str(cluster.name), exporter.catalog
            if exporter.on_nodes:
                found += [
                    Targets(cluster=name, pool=str(pool.name), exporter=exporter, count=pool.nodes)
                    for of, pool, model in policy.pools
                    if of is cluster and catalog.vendor in ("", model.vendor)
                ]
            else:
                count = replicas if catalog.name == "prometheus" else 1
                found.append(Targets(cluster=name, pool="", exporter=exporter, count=count))
    return tuple(found)


def _lines(policy: Policy, rule_groups: int) -> Iterator[Line]:
    known = _values(policy, rule_groups)
    clusters = {str(cluster.name): cluster for cluster in policy.fleet.clusters}
    pools = {(str(of.name), str(pool.name)): (pool, model) for of, pool, model in policy.pools}
    for group in targets(policy):
        workloads = clusters[group.cluster].workloads
        of_pool = pools.get((group.cluster, group.pool))
        peers = {"peer_gpu": of_pool[0].gpus_per_node - 1} if of_pool else {}
        for name, metric in _stored(group.exporter):
            if of_pool:
                pods = _pods(workloads, group.exporter, metric)
                entities = (*_in_pool(*of_pool, metric), *pods)
                renewed = bool(pods)
            else:
                entities = (_in_cluster(clusters[group.cluster], group, metric),)
                renewed = metric.per in _OF_PODS
            each, unbounded = _each(metric, known | peers)
            yield Line(
                cluster=group.cluster,
                pool=group.pool,
                exporter=group.exporter,
                name=name,
                metric=metric,
                factors=(*entities, *each),
                renewed=1 / lifetime(workloads) if renewed else 0,
                unbounded=unbounded,
            )


def _stored(exporter: ExporterInUse) -> Iterator[tuple[str, Metric]]:
    for name, metric in exporter.stored:
        if EVERY_TARGET not in metric.groups and name not in OF_ALERTS:
            yield name, metric


def _values(policy: Policy, rule_groups: int) -> dict[str, int]:
    """Numbers of values of labels that the specs bound, by the Budget or by what they make of Prometheus."""
    stated = policy.budget.labels.values if policy.budget and policy.budget.labels else {}
    store = policy.fleet.storage.long_term if policy.fleet.storage else None
    writes = (
        store is not None and store.kind in ("mimir", "thanos") and store.mode == "remote-write"
    )
    known = {
        "scrape_job": len(policy.exporters),
        "rule_group": rule_groups,
        "remote_name": int(writes),
    }
    return known | {str(label): count for label, count in stated.items()}


def _each(metric: Metric, known: dict[str, int]) -> tuple[tuple[Factor, ...], tuple[str, ...]]:
    """Labels that multiply the series of one entity, and those of which nobody says how many values they have."""
    factors, unbounded = [], []
    for label, count in metric.each.items():
        values = known.get(str(label), count)
        if values or str(label) in known:
            factors.append(Factor(values, str(label), of_label=True))
        else:
            unbounded.append(str(label))
    return tuple(factors), tuple(unbounded)


def _in_pool(pool: Pool, model: GpuModel, metric: Metric) -> tuple[Factor, ...]:
    """The entities of a pool that have series of a metric."""
    nodes, gpus = Factor(pool.nodes, "nodes"), Factor(pool.gpus_per_node, "GPUs")
    if lacks(pool, model, metric):
        return (Factor(0, f"of {model.name}"),)
    if metric.per in ("gpu", "slice"):
        instances = sum(pool.mig.values())
        return (nodes, gpus, *((Factor(instances, "MIG instances"),) if pool.mig else ()))
    if metric.per == "link":
        return nodes, gpus, Factor(model.nvlinks, "links")
    has = pool.per_node
    counted = {
        "switch": Factor(has.switches if has else 0, "switches"),
        "cpu": Factor(has.cpus if has else 0, "CPUs"),
        "cpu-core": Factor(has.cpu_cores if has else 0, "CPU cores"),
        "nic": Factor(has.nics if has else 0, "network ports"),
        "vgpu": Factor(0, "virtual GPUs"),
    }
    return (nodes, counted[metric.per]) if metric.per in counted else (nodes,)


def lacks(pool: Pool, model: GpuModel, metric: Metric) -> bool:
    """Whether the GPUs of a pool do not have what a metric measures."""
    names = {model.name, model.architecture, *(("mig",) if pool.mig else ())} - {""}
    return not names.isdisjoint(metric.unsupported) or metric.name in model.unsupported


def _pods(
    workloads: Workloads | None, exporter: ExporterInUse, metric: Metric
) -> tuple[Factor, ...]:
    """Pods whose labels the series of a GPU carry."""
    named = workloads is None or workloads.identity == "dcgm-pod-labels"
    if not named or metric.per not in ("gpu", "slice") or not carries_pods(exporter, metric):
        return ()
    return (Factor(workloads.pods_per_gpu if workloads else 1, "pods"),)


def carries_pods(exporter: ExporterInUse, metric: Metric) -> bool:
    """Whether a label that changes with the pod is left on a metric's stored series."""
    pod = exporter.catalog.workload_labels and exporter.label(names.POD)
    return bool(pod) and pod in exporter.labels_of(metric)


def lifetime(workloads: Workloads | None) -> float:
    """Seconds that a pod lives on average."""
    return workloads.pod_lifetime.seconds if workloads else _POD_LIFETIME


def _in_cluster(cluster: Cluster, group: Targets, metric: Metric) -> Factor:
    """What an exporter beside the pools has series of: the nodes, and the pods that hold GPUs."""
    if metric.per == "node":
        return Factor(sum(pool.nodes for pool in cluster.pools), "nodes")
    if metric.per in _OF_PODS:
        counts = (pods(pool, cluster.workloads) for pool in cluster.pools)
        return Factor(sum(counts), "pods that hold GPUs")
    return Factor(group.count if metric.per == "target" else 1, "targets")


def pods(pool: Pool, workloads: Workloads | None) -> int:
    """Pods that hold the GPUs or MIG instances of a pool."""
    held = pool.nodes * pool.gpus_per_node * max(1, sum(pool.mig.values()))
    if workloads is None:
        return held
    return math.ceil(held * workloads.pods_per_gpu / workloads.gpus_per_pod)
