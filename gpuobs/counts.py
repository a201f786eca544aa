"""Numbers of things that the specs state: within what a fleet can have, so that all of them can be multiplied."""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.diagnostics import Diagnostic, Span, error
from gpuobs.exporters import ExporterInUse
from gpuobs.spec.model import Budget, Cluster, Fleet, Item

MOST = 10**9
_OF_POOL = ("nodes", "gpusPerNode")
_OF_NODE = ("switches", "cpus", "cpuCores", "nics")
_OF_PODS = ("podsPerGpu", "gpusPerPod")
_OF_STORAGE = ("replicas",)


def problems(
    fleet: Fleet, exporters: tuple[ExporterInUse, ...], budget: Budget | None
) -> Iterator[Diagnostic]:
    """Counts that nobody has."""
    for cluster in fleet.clusters:
        yield from _of_cluster(cluster)
    yield from _beyond(fleet.storage, _OF_STORAGE)
    for exporter in exporters:
        for metric in exporter.catalog.metrics:
            for label in metric.each:
                yield from _wrong(metric.where("each", label), metric.each[label])
    if budget is not None and budget.labels is not None:
        for label, count in budget.labels.values.items():
            yield from _wrong(budget.labels.where("values", label), count)


def _of_cluster(cluster: Cluster) -> Iterator[Diagnostic]:
    for pool in cluster.pools:
        yield from _beyond(pool, _OF_POOL)
        yield from _beyond(pool.per_node, _OF_NODE)
    yield from _beyond(cluster.workloads, _OF_PODS)


def _beyond(item: Item | None, keys: tuple[str, ...]) -> Iterator[Diagnostic]:
    stated = {} if item is None else item.written.value
    for key in keys:
        if key in stated:
            yield from _wrong(stated[key].span, stated[key].value)


def _wrong(place: Span, count: int) -> Iterator[Diagnostic]:
    if not 0 <= count <= MOST:
        message = f"{count:.15g} is too {'low' if count < 0 else 'high'}"
        yield error(place, "yaml/bad-value", message, f"write a number from 0 to {MOST}")
