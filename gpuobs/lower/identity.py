"""Whether relabelling leaves each series apart from all others of its scrape, proved from the catalog and the fleet.

One target's series of one metric differ by the labels that name the entity, by the pod where several hold one device,
and by the labels of which an entity has a series for each value. A step that takes away the last of them makes two
series one, whose value is that of either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from gpuobs import names
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.exporters import ExporterInUse, series_of
from gpuobs.policy import Policy
from gpuobs.promql import re2
from gpuobs.promql.relabel import Step, relabelled
from gpuobs.spec.model import Metric
from gpuobs.spec.scalars import LabelName

# By what a series stands for, the exporter's labels of which one must be left: any of a row, of every row.
_OF_GPU = (("gpu", "UUID", "device", "pci_bus_id", "gpu_id", "serial_number", "gpu_uuid"),)
_ENTITY: dict[str, tuple[tuple[str, ...], ...]] = {
    "gpu": _OF_GPU,
    "slice": _OF_GPU,
    "vgpu": (*_OF_GPU, ("vgpu",)),
    "link": (*_OF_GPU, ("nvlink",)),
    "switch": (("nvswitch",),),
    "cpu": (("cpu",),),
    "cpu-core": (("cpucore",),),
}
# What differs between two pods besides the label that names them.
_OF_A_POD = ("uid", "pod_uid", "pod_ip")
_WHOLE = ("(.*)", ".*")


@dataclass(frozen=True, slots=True)
class Merged:
    """Two series of a metric that relabelling makes one: labels that differ between them, and are gone."""

    metric: str
    labels: tuple[str, ...]
    one: Mapping[str, str]
    other: Mapping[str, str]

    def shown(self, series: Mapping[str, str]) -> str:
        """One of the two as Prometheus writes it, with the labels that tell it from the other."""
        inner = ",".join(f'{label}="{series[label]}"' for label in self.labels)
        return f"{self.metric}{{{inner}}}"


def dropping(policy: Policy) -> Policy:
    """The policy whose scrapes drop the labels that the Budget forbids, where every series is told apart without them."""
    labels = policy.budget.labels if policy.budget else None
    if labels is None or not labels.forbid:
        return policy
    exporters = []
    for exporter in policy.exporters:
        dropped = [str(each) for each in labels.forbid if may_be_dropped(policy, exporter, each)]
        exporters.append(replace(exporter, forbidden=tuple(dropped)))
    return replace(policy, exporters=tuple(exporters))


def may_be_dropped(policy: Policy, exporter: ExporterInUse, label: str) -> bool:
    """Whether an exporter writes a label, and every series is told from all others without it."""
    if label in exporter.identity:
        return False
    if not any(label in exporter.labels_of(metric) for _, metric in exporter.collected()):
        return False
    step = Step(action="labeldrop", regex=str(label))
    return merged(policy, exporter, (*exporter.relabelings, step)) is None


def problems(policy: Policy) -> Iterator[Diagnostic]:
    """Relabelling in the Fleet that makes two series one, at the first step that does."""
    for exporter in policy.exporters:
        steps = exporter.relabelings
        for end in range(1, len(steps) + 1):
            found = merged(policy, exporter, steps[:end])
            if found is not None:
                one, other = found.shown(found.one), found.shown(found.other)
                message = f"after this step '{one}' and '{other}' are one series, with the value of either"
                names_ = " or ".join(f"'{label}'" for label in found.labels)
                hint = f"keep {names_}, or do not collect '{found.metric}'"
                place = exporter.spec.where("metricRelabelings", end - 1)
                yield error(place, "scrape/identity-dropped", message, hint)
                break


def merged(policy: Policy, exporter: ExporterInUse, steps: tuple[Step, ...]) -> Merged | None:
    """The first metric of which some steps make two series one; None where all stay apart."""
    if not steps or any(re2.anchored(step.regex) is None for step in steps):
        return None  # what a pattern means is not sure
    for name, metric in exporter.collected():
        for written, part in series_of(name, metric):
            found = _of_metric(policy, exporter, written, part, steps)
            if found is not None:
                return found
    return None


def _of_metric(
    policy: Policy, exporter: ExporterInUse, name: str, metric: Metric, steps: tuple[Step, ...]
) -> Merged | None:
    scraped = sorted(exporter.scraped(metric).possible)
    series = {"__name__": name, **{label: _value(metric, label, 0) for label in scraped}}
    left = relabelled(series, steps)
    if left is None:
        return None
    for labels in _differences(policy, exporter, metric):
        there = [label for label in labels if label in scraped]
        other = {**series, **{label: _value(metric, label, 1) for label in there}}
        if there and _readable(there, steps) and relabelled(other, steps) == left:
            return Merged(name, tuple(there), series, other)
    return None


def _readable(labels: list[str], steps: tuple[Step, ...]) -> bool:
    """Whether what steps make of some labels does not depend on the values, so that any two stand for all."""
    copies = set(labels)
    for step in steps:
        if not copies.isdisjoint(step.sources):
            if step.action not in ("replace", "lowercase", "uppercase") or step.regex not in _WHOLE:
                return False
            copies.add(step.target)
    return True


def _value(metric: Metric, label: str, number: int) -> str:
    """A value of a label; two numbers give two values."""
    known = {str(each): values for each, values in metric.values.items()}.get(label, ())
    return known[number] if number < len(known) else f"{label}-{number}"


def _differences(
    policy: Policy, exporter: ExporterInUse, metric: Metric
) -> Iterator[tuple[str, ...]]:
    """Sets of labels, as they arrive, by which alone two series of one target may differ."""
    for row in _ENTITY.get(metric.per, ()):
        yield tuple(exporter.renames.get(label, label) for label in row)
    pools = [p for _, p, model in policy.pools if model.vendor == exporter.catalog.vendor]
    instance = exporter.catalog.identity.get(LabelName(names.MIG_INSTANCE))
    if instance and metric.per in ("gpu", "slice") and any(pool.mig for pool in pools):
        yield (exporter.renames.get(instance, instance),)
    yield from _of_pods(policy, exporter, metric)
    for label, count in metric.each.items():
        if count != 1:
            yield (exporter.renames.get(label, str(label)),)
    for part in ("le", "quantile"):
        if part in metric.labels:
            yield (part,)


def _of_pods(policy: Policy, exporter: ExporterInUse, metric: Metric) -> Iterator[tuple[str, ...]]:
    """Pods that hold one device together, or of which an exporter beside the pools writes."""
    beside = not exporter.catalog.vendor
    shared = any(
        cluster.workloads is not None
        and cluster.workloads.pods_per_gpu > 1
        and cluster.workloads.identity == "dcgm-pod-labels"
        for cluster in policy.fleet.clusters
    )
    if (beside and metric.per in ("pod", "container")) or (
        shared and not beside and metric.per in ("gpu", "slice")
    ):
        # A name is a pod's own only within its namespace.
        for label in exporter.catalog.workload_labels:
            if metric.per == "container" or str(label) != "container":
                yield (exporter.workload_label(str(label)), *_OF_A_POD)
