"""The fleet's arithmetic: how many series a set of labels can have at most.

Entities nest: fleet, cluster, pool, node, GPU, MIG instance or link, and pods hold GPUs. A label belongs to one of them, or is a
property of one, which adds nothing: `model` is a pool's, the exporter's own pod a node's. The number of series for a
set of labels is the number of its combinations, summed over pools.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache

from gpuobs import names
from gpuobs.policy import Policy
from gpuobs.spec.model import Cluster, GpuModel, Pool, Workloads

_OF_POOL = (names.CLUSTER, names.POOL, names.MODEL, names.VENDOR)
_OF_NODE = frozenset({names.NODE, "instance", "DCGM_FI_DRIVER_VERSION"})
_OF_GPU = frozenset({names.GPU_UUID, "pci_bus_id"})
_INDEX = frozenset({names.GPU, "device"})
_MIG = frozenset({names.MIG_INSTANCE, names.MIG_PROFILE})
# The workload's, or under the same names the exporter's own, of which there are fewer.
_OF_POD = frozenset({"namespace", "pod", "container"})
_POD_LIFETIME = 4 * 3600  # where a cluster says nothing of its workloads
_CONSTANT = frozenset({"job", "service", "endpoint"})
# Labels whose values no two pools share.
OF_ONE_POOL = frozenset({names.POOL, *_OF_NODE, *_OF_GPU, *_OF_POD})
KNOWN = frozenset({*_OF_POOL, *_OF_NODE, *_OF_GPU, *_INDEX, *_MIG, *_OF_POD, *_CONSTANT})


def series(
    policy: Policy,
    labels: Iterable[str],
    vendors: Iterable[str],
    values: Mapping[str, frozenset[str]] | None = None,
    span: float = 0,
    *,
    steady: bool = False,
) -> int | None:
    """Combinations of these canonical labels over the pools of some vendors, at most.

    `values` has the only values of some labels: it picks pools, and bounds labels that are not the fleet's to count. None
    where a label is in neither. Within `span` seconds pods come and go. Of a `steady` fleet every GPU is held by a pod,
    and the labels that are not the fleet's to count are left out.
    """
    wanted, bounds = frozenset(labels), dict(values or {})
    picked = tuple((label, bounds[label]) for label in _OF_POOL if label in bounds)
    total = _combinations(policy, wanted & KNOWN, frozenset(vendors), picked, span, steady)
    if steady:
        return total
    for label in wanted - KNOWN:
        if label not in bounds:
            return None
        total *= len(bounds[label]) + 1  # a series may lack it
    return total


@lru_cache(maxsize=4096)
def _combinations(
    policy: Policy,
    wanted: frozenset[str],
    vendors: frozenset[str],
    picked: tuple[tuple[str, frozenset[str]], ...],
    span: float,
    steady: bool,
) -> int:
    if wanted <= _CONSTANT:
        return max(1, len(vendors)) if wanted else 1
    groups: dict[tuple[str, ...], list[int]] = {}
    for entry in policy.pools:
        has = all(_can_be(label, values, *entry) for label, values in picked)
        if entry[2].vendor in vendors and has:
            key = tuple(_values(label, *entry)[0] for label in _OF_POOL if label in wanted)
            groups.setdefault(key, []).append(_in_pool(entry[0], entry[1], wanted, span, steady))
    shared = wanted <= {*_OF_POOL, *_INDEX, *_CONSTANT}
    return sum(max(counts) if shared else sum(counts) for counts in groups.values())


def _in_pool(
    cluster: Cluster, pool: Pool, wanted: frozenset[str], span: float, steady: bool
) -> int:
    """Combinations in one pool: of the deepest entity that a label belongs to."""
    gpus = pool.nodes * pool.gpus_per_node
    of_node, index, of_pod = (bool(wanted & kind) for kind in (_OF_NODE, _INDEX, _OF_POD))
    of_gpu = bool(wanted & _OF_GPU) or (of_node and index)
    instances = sum(pool.mig.values()) if pool.mig else 1
    if of_pod:
        held = gpus * instances * _holders(cluster.workloads, span)
        if of_gpu:
            return held
        # A pod has one series for all of its GPUs, and a GPU that nobody holds has no pod, and neither have its labels.
        gpus_per_pod = cluster.workloads.gpus_per_pod if cluster.workloads else 1
        return math.ceil(held / gpus_per_pod) + (0 if steady else 1)
    count = gpus if of_gpu else pool.nodes if of_node else pool.gpus_per_node if index else 1
    if names.MIG_INSTANCE in wanted:
        return count * instances
    return count * max(1, len(pool.mig)) if names.MIG_PROFILE in wanted else count


def thing(labels: Iterable[str]) -> str:
    """What one of `series` with these labels stands for, in the plural: the deepest entity that a label belongs to."""
    wanted = frozenset(labels)
    of_node, index, of_pod = (bool(wanted & kind) for kind in (_OF_NODE, _INDEX, _OF_POD))
    of_gpu = bool(wanted & _OF_GPU) or (of_node and index)
    if of_pod:
        return "pods on GPUs" if of_gpu else "pods"
    if wanted & _MIG:
        return "MIG instances" if names.MIG_INSTANCE in wanted else "MIG profiles"
    found = (
        (of_gpu, "GPUs"),
        (of_node, "nodes"),
        (index, "GPU indices"),
        (names.POOL in wanted, "pools"),
        (names.MODEL in wanted, "models"),
        (names.VENDOR in wanted, "vendors"),
        (names.CLUSTER in wanted, "clusters"),
    )
    return next((what for holds, what in found if holds), "series")


def _holders(workloads: Workloads | None, span: float) -> int:
    """Pods that hold one GPU at a time, or one set after the other within some seconds."""
    if workloads is None:
        return 1 + math.ceil(span / _POD_LIFETIME)
    return workloads.pods_per_gpu * (1 + math.ceil(span / workloads.pod_lifetime.seconds))


def _can_be(
    label: str, values: frozenset[str], cluster: Cluster, pool: Pool, model: GpuModel
) -> bool:
    """Whether a pool's series can have one of the values; what its exporter calls a model is not always known."""
    unknown = label == names.MODEL and not model.model_label
    return unknown or not values.isdisjoint(_values(label, cluster, pool, model))


def _values(label: str, cluster: Cluster, pool: Pool, model: GpuModel) -> tuple[str, ...]:
    """What a pool's series have as a label; a model goes by its name or by what the exporter calls it."""
    return {
        names.CLUSTER: (str(cluster.name),),
        names.POOL: (str(pool.name),),
        names.MODEL: (model.name, model.model_label),
        names.VENDOR: (model.vendor,),
    }[label]
