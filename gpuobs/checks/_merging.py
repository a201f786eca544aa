"""What the series of one metric of a job stand for, and the labels that tell these things apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gpuobs import names
from gpuobs.exporters import ExporterInUse
from gpuobs.policy import Policy
from gpuobs.scraping import ScrapeJob
from gpuobs.spec.model import Metric, Pool
from gpuobs.spec.scalars import LabelName

# Labels that only series of a link, a switch or a CPU have, and that tell these apart.
_PARTS = {
    "link": ("links of a GPU", ("nvlink", "nvswitch")),
    "switch": ("switches of a node", ("nvswitch",)),
    "cpu": ("CPUs of a node", ("cpu",)),
    "cpu-core": ("cores of a node", ("cpucore",)),
}
_OF_GPUS = ("gpu", "slice", "vgpu", "link")


@dataclass(frozen=True, slots=True)
class Apart:
    """Things that have a series each, how many they are, and the labels any of which tells them apart."""

    what: str
    count: int
    labels: frozenset[str]

    def examples(self, written: Iterable[str]) -> tuple[str, str]:
        """The labels that differ between two of the things, with values by which to recognise them."""
        shown = sorted(self.labels & frozenset(written))
        one, other = (
            ", ".join(f'{label}="{_value(label, index)}"' for label in shown) for index in (0, 1)
        )
        return one, other


def _value(label: str, index: int) -> str:
    known = {"UUID": "GPU-{}", "device": "nvidia{}", "pci_bus_id": "0000000{}:00:00.0"}
    known |= {"instance": "node-{}:9400", "Hostname": "node-{}", "hostname": "node-{}"}
    known |= {"le": "{}", "instance_id": "{}"}
    return known.get(label, "{}").format(index)


def dimensions(
    policy: Policy, job: ScrapeJob, exporter: ExporterInUse, metric: Metric
) -> Iterator[Apart]:
    """What one metric's series differ in, where there are at least two of each."""
    found = [*_of_gpus(policy, exporter, metric), *_of_parts(policy, exporter, metric)]
    for label, count in metric.each.items():
        found.append(Apart(f"values of '{label}'", count or 2, frozenset((str(label),))))
    for part, what in (("le", "buckets of a histogram"), ("quantile", "quantiles of a summary")):
        if part in metric.labels:
            found.append(Apart(what, 2, frozenset((part,))))
    found += _of_targets(policy, job, exporter, metric)
    return (each for each in found if each.count > 1 and each.labels)


def _pools(policy: Policy, exporter: ExporterInUse) -> list[Pool]:
    vendor = exporter.catalog.vendor
    return [pool for _, pool, model in policy.pools if vendor and model.vendor == vendor]


def _raw(exporter: ExporterInUse, *canonical: str) -> frozenset[str]:
    """The labels that carry canonical ones, as this version writes them."""
    written = (exporter.catalog.identity.get(LabelName(each)) for each in canonical)
    return frozenset(exporter.renames.get(each, str(each)) for each in written if each)


def _of_gpus(policy: Policy, exporter: ExporterInUse, metric: Metric) -> Iterator[Apart]:
    pools = _pools(policy, exporter)
    if metric.per not in _OF_GPUS or not pools:
        return
    written = exporter.catalog.entity_labels.get("gpu", ())
    labels = frozenset(exporter.renames.get(label, str(label)) for label in written)
    labels -= _raw(exporter, names.NODE, names.MODEL)
    instance = _raw(exporter, names.MIG_PROFILE, names.MIG_INSTANCE)
    whole = max(pool.gpus_per_node for pool in pools)
    yield Apart("GPUs of a node", whole, labels - instance)
    cut = max((count for pool in pools for count in pool.mig.values()), default=0)
    if metric.per in ("gpu", "slice") and "mig" not in metric.unsupported:
        yield Apart("MIG instances of a GPU", cut, _raw(exporter, names.MIG_INSTANCE))


def _of_parts(policy: Policy, exporter: ExporterInUse, metric: Metric) -> Iterator[Apart]:
    if metric.per not in _PARTS:
        return
    what, labels = _PARTS[metric.per]
    vendor = exporter.catalog.vendor
    models = [model for _, _, model in policy.pools if model.vendor == vendor]
    count = max((model.nvlinks for model in models), default=0) if metric.per == "link" else 2
    yield Apart(what, count, frozenset(labels))


def _of_targets(
    policy: Policy, job: ScrapeJob, exporter: ExporterInUse, metric: Metric
) -> Iterator[Apart]:
    """The targets of a job, each of which writes the series of its own node."""
    count = sum(len(group.addresses) for group in job.targets)
    if not job.is_listed:
        count = sum(pool.nodes for pool in _pools(policy, exporter))
    possible = exporter.scraped(metric).possible
    labels = possible & (_raw(exporter, names.NODE, "gpu_uuid") | {"instance"})
    others = frozenset(map(str, exporter.spec.target_labels)) - {"job"}
    if metric.per in _OF_GPUS:
        labels |= possible & {"UUID", "gpu_uuid", "serial_number"}
    elif exporter.catalog.vendor == "":
        return
    yield Apart("targets of this job", count, labels | others)
