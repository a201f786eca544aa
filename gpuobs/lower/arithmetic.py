"""The fleet's arithmetic: how many series a set of labels can have.

Entities nest: fleet, cluster, pool, node, GPU. `model` and `vendor` are properties of a pool, so the number of series
for a set of labels is the number of its distinct combinations, summed over pools.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuobs import names
from gpuobs.policy import Policy
from gpuobs.spec.model import Cluster, GpuModel, Pool

_OF_POOL = (names.CLUSTER, names.POOL, names.MODEL, names.VENDOR)


def series(policy: Policy, labels: Iterable[str], vendors: Iterable[str]) -> int | None:
    """Series at the gpu level or above with these labels, over the pools of some vendors.

    None where a label's values are not the fleet's to count, such as `xid` or `pod`.
    """
    wanted = set(labels)
    if wanted - {*_OF_POOL, names.NODE, names.GPU, names.GPU_UUID}:
        return None
    pools = [entry for entry in policy.pools if entry[2].vendor in set(vendors)]
    if names.GPU_UUID in wanted or {names.GPU, names.NODE} <= wanted:
        return sum(pool.nodes * pool.gpus_per_node for _, pool, _ in pools)
    if names.NODE in wanted:
        return sum(pool.nodes for _, pool, _ in pools)
    combinations: dict[tuple[str, ...], int] = {}
    for entry in pools:
        key = tuple(_property(label, *entry) for label in _OF_POOL if label in wanted)
        count = entry[1].gpus_per_node if names.GPU in wanted else 1
        combinations[key] = max(count, combinations.get(key, 0))
    return sum(combinations.values())


def raw_series(policy: Policy, vendor: str, per_slice: bool) -> int:
    """Series of one raw metric over the pools of a vendor: one a GPU, or one a MIG instance."""
    total = 0
    for _, pool, model in policy.pools:
        if model.vendor == vendor:
            instances = sum(pool.mig.values()) if per_slice and pool.mig else 1
            total += pool.nodes * pool.gpus_per_node * instances
    return total


def _property(label: str, cluster: Cluster, pool: Pool, model: GpuModel) -> str:
    return {
        names.CLUSTER: cluster.name,
        names.POOL: pool.name,
        names.MODEL: model.name,
        names.VENDOR: model.vendor,
    }[label]
