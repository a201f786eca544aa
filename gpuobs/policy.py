"""What the project says, resolved: the world that lowering, checks and the analysis of PromQL ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from gpuobs import names
from gpuobs.exporters import EVERY_TARGET, TARGET_LABELS, ExporterInUse, series_of
from gpuobs.nearest import did_you_mean
from gpuobs.spec.model import (
    Alert,
    Alerts,
    Budget,
    Checks,
    CheckSetting,
    Cluster,
    Fleet,
    GpuModel,
    Metric,
    MetricCatalog,
    Pool,
    Rollups,
    Signal,
    Slos,
    Tiers,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Collected:
    """A metric that the fleet collects, under the name that its series have."""

    name: str
    metric: Metric
    exporter: ExporterInUse

    @property
    def labels(self) -> frozenset[str]:
        return self.exporter.labels_of(self.metric)

    def can_have(self, label: str) -> bool:
        """Whether a series of the metric can have a label, by its name or by how that begins."""
        prefixes = tuple(self.metric.label_prefixes)
        return label in self.labels or label.startswith(prefixes)

    def label_hint(self, label: str) -> str:
        """What to write for a label that series of this metric do not have."""
        written = self.exporter.label(label) if label in names.CANONICAL_LABELS else None
        if written and written != label:
            return f"this exporter calls it '{written}'"
        return did_you_mean(label, self.labels)


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """What the project sets of checks, by code."""

    by_code: Mapping[str, CheckSetting] = field(default_factory=dict)

    @classmethod
    def of(cls, document: Checks | None) -> CheckSettings:
        """The settings of the project's Checks document, if it has one."""
        settings = document.checks if document is not None else ()
        return cls({str(setting.code): setting for setting in settings})

    def parameter(self, code: str, name: str, default: T) -> T:
        """The project's value for a check's parameter, which has the default's type."""
        setting = self.by_code.get(code)
        return default if setting is None else setting.parameters.get(name, default)  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class Policy:
    """What the project says, resolved. Lowering and checks read this and nothing else."""

    fleet: Fleet
    tiers: Tiers
    exporters: tuple[ExporterInUse, ...]
    models: Mapping[str, GpuModel]
    signals: Mapping[str, Signal]
    rollups: tuple[Rollups, ...]
    alerts: tuple[Alerts, ...]
    known: Mapping[str, tuple[Metric, MetricCatalog]] = field(repr=False)
    checks: CheckSettings = field(default_factory=CheckSettings)
    budget: Budget | None = None
    slos: tuple[Slos, ...] = ()

    @cached_property
    def is_assumed(self) -> bool:
        """Whether the fleet is built in, so that its names and sizes are nobody's."""
        return self.fleet.span.file.startswith("<built-in>")

    @cached_property
    def label_names(self) -> frozenset[str]:
        """Every label that an exporter of the fleet writes, in any version and however it is scraped."""
        found = {*names.CANONICAL_LABELS, *TARGET_LABELS}
        for exporter in self.exporters:
            catalog = exporter.catalog
            found.update(*catalog.entity_labels.values(), catalog.workload_labels)
            found.update(f"exported_{label}" for label in catalog.workload_labels)
            for change in catalog.changes:
                found.update(change.add, change.rename, change.rename.values())
        return frozenset(map(str, found))

    @cached_property
    def collected(self) -> Mapping[str, Collected]:
        """Every metric that the fleet collects, by the name of its series."""
        found: dict[str, Collected] = {}
        for exporter in self.exporters:
            for name, metric in exporter.collected():
                if EVERY_TARGET in metric.groups:
                    metric = self._of_every_target(metric)
                for written, part in series_of(name, metric):
                    found.setdefault(written, Collected(written, part, exporter))
        return found

    def _of_every_target(self, metric: Metric) -> Metric:
        """What the scrape writes of each target, with the labels that any exporter's targets have."""
        specs = [exporter.spec for exporter in self.exporters]
        added = {label for spec in specs for label in (*spec.target_labels, *spec.labels.values())}
        if not added:
            return metric
        labels = tuple(sorted(added - set(metric.labels)))
        return replace(
            metric, labels=(*metric.labels, *labels), sometimes=(*metric.sometimes, *labels)
        )

    @cached_property
    def pools(self) -> tuple[tuple[Cluster, Pool, GpuModel], ...]:
        """Every pool with its cluster and GPU model, in the fleet's order."""
        return tuple(
            (cluster, pool, self.models[pool.gpu])
            for cluster in self.fleet.clusters
            for pool in cluster.pools
        )

    @cached_property
    def vendors(self) -> tuple[str, ...]:
        """Vendors of the fleet's GPUs, in the fleet's order."""
        return tuple(dict.fromkeys(model.vendor for _, _, model in self.pools))

    def always(self, collected: Collected) -> frozenset[str]:
        """Labels that every series of a metric has in this fleet: the MIG instance's too, where every GPU is cut."""
        exporter = collected.exporter
        vendor = exporter.catalog.vendor
        pools = [pool for _, pool, model in self.pools if model.vendor == vendor]
        certain = exporter.always(collected.metric)
        if not pools or not all(pool.mig for pool in pools):
            return certain
        cut = {exporter.label(names.MIG_PROFILE), exporter.label(names.MIG_INSTANCE)}
        return certain | {label for label in cut & collected.labels if label}

    def exporter_of(self, vendor: str) -> ExporterInUse | None:
        """The exporter that reports the GPUs of a vendor."""
        return next((e for e in self.exporters if e.catalog.vendor == vendor), None)

    def signal_hint(self, name: str) -> str:
        """What to write for a signal that there is not."""
        return (
            did_you_mean(name, self.signals) or "'gpuobs explain signals' lists the built-in ones"
        )

    def all_alerts(self) -> Iterator[tuple[Alerts, Alert]]:
        for document in self.alerts:
            for alert in document.alerts:
                yield document, alert


def alternatives(signal: Signal, vendor: str) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """A signal's expressions for a vendor, each with its path in the signal's document."""
    written = signal.sources.get(vendor, ())
    if isinstance(written, str):
        yield written, ("sources", vendor)
    else:
        for index, expression in enumerate(written):
            yield expression, ("sources", vendor, index)


def slices(profile: str) -> int:
    """Compute slices of a MIG profile: the number before its `g`."""
    return int(profile.partition("g.")[0])
