"""What the project says, resolved: the world that lowering, checks and the analysis of PromQL ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from gpuobs import names
from gpuobs.catalog.versions import version_key
from gpuobs.nearest import did_you_mean
from gpuobs.promql.labelset import Labels
from gpuobs.promql.relabel import Step, of_labels
from gpuobs.spec.model import (
    Alert,
    Alerts,
    Budget,
    Checks,
    CheckSetting,
    Cluster,
    Exporter,
    Fleet,
    GpuModel,
    Metric,
    MetricCatalog,
    Pool,
    Rollups,
    Signal,
    Tiers,
)
from gpuobs.spec.scalars import LabelName

# What the scrape itself puts on every series of a target in Kubernetes, and the two that the fleet's scrape adds.
TARGET_LABELS = frozenset(
    {
        "job",
        "instance",
        "namespace",
        "pod",
        "container",
        "service",
        "endpoint",
        names.CLUSTER,
        names.POOL,
    }
)
EVERY_SCRAPE = frozenset({"job", "instance"})
EVERY_TARGET = "every-target"

T = TypeVar("T")


@dataclass(frozen=True)
class ExporterInUse:
    """An exporter of the fleet with what its catalog says of it. `forbidden` are labels that its scrape drops."""

    spec: Exporter
    catalog: MetricCatalog
    forbidden: tuple[str, ...] = ()

    @cached_property
    def renames(self) -> Mapping[str, str]:
        """Old label to the one that this version writes."""
        renames: dict[str, str] = {}
        for change in self.catalog.changes:
            if self.has(change.since):
                renames |= {str(old): str(new) for old, new in change.rename.items()}
        return renames

    def has(self, since: str) -> bool:
        """Whether the fleet's version is at least `since`; an undeclared version is the newest known."""
        version = self.spec.version or (self.catalog.versions[-1] if self.catalog.versions else "")
        return not since or not version or version_key(version) >= version_key(since)

    @property
    def on_nodes(self) -> bool:
        """Whether each node has one: it reports a vendor's GPUs, or its address alone says which node it reports."""
        node = self.catalog.identity.get(LabelName(names.NODE))
        return bool(self.catalog.vendor) or node == "instance"

    def label(self, canonical: str) -> str | None:
        """The label of this fleet's series that carries a canonical label, or None where there is none."""
        declared = {str(name): str(label) for name, label in self.spec.labels.items()}
        return declared.get(canonical) or self._stored(self._scraped(canonical))

    def _scraped(self, canonical: str) -> str | None:
        """The label that carries it when a sample arrives."""
        if canonical in (names.CLUSTER, names.POOL):
            return canonical
        if canonical in (names.NAMESPACE, names.POD):
            written = canonical in self.catalog.workload_labels
            return self.workload_label(canonical) if written else None
        raw = {str(name): str(label) for name, label in self.catalog.identity.items()}
        label = raw.get(canonical)
        return self._arriving(self.renames.get(label, label)) if label else None

    def _arriving(self, label: str) -> str:
        """An exporter's label beside those that the scrape adds."""
        collides = label in self.spec.target_labels and not self.spec.honor_labels
        return f"exported_{label}" if collides else label

    def _stored(self, label: str | None) -> str | None:
        """The label that has a label's values after relabelling; None where none has."""
        if label is None or not self.relabelings:
            return label
        alone = frozenset((label,))
        found = of_labels(Labels(alone, alone), "", self.relabelings)
        if found is None or found.can_have(label):
            return label
        copies = (each for each in sorted(found.possible) if found.origin(each) == label)
        return next(copies, None)

    @cached_property
    def relabelings(self) -> tuple[Step, ...]:
        """What the scrape does to series before they are stored."""
        steps = tuple(
            Step(
                action=step.action,
                sources=step.source_labels,
                separator=step.separator,
                target=step.target_label,
                regex=step.regex,
                replacement=step.replacement,
                modulus=step.modulus,
            )
            for step in self.spec.metric_relabelings
        )
        drops = (Step(action="labeldrop", regex="|".join(self.forbidden)),)
        return (*steps, *drops) if self.forbidden else steps

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """Labels that tell its targets and GPUs apart, to what they say."""
        found = {"instance": "target", "job": "job"}
        for name in names.CANONICAL_LABELS:
            label = self.label(name)
            if label and name not in (names.NAMESPACE, names.POD):
                found.setdefault(label, name.replace("_", " "))
        return found

    @cached_property
    def canonical(self) -> Mapping[str, str]:
        """Labels as its series carry them to their canonical names."""
        canonical = tuple(reversed(names.CANONICAL_LABELS))
        found = {self._scraped(name): name for name in canonical}
        found |= {self.label(name): name for name in canonical}
        workload = {self.workload_label(each): str(each) for each in self.catalog.workload_labels}
        # What a scrape adds is the target's, so that there are as many values as targets at most.
        target = {str(label): "instance" for label in self.spec.target_labels}
        return {**target, **workload, **{label: name for label, name in found.items() if label}}

    def workload_label(self, written: str) -> str:
        """A workload label as it arrives: renamed where the target has a label of that name."""
        taken = written in TARGET_LABELS or written in self.spec.target_labels
        return f"exported_{written}" if taken and not self.spec.honor_labels else written

    @cached_property
    def not_yet(self) -> frozenset[str]:
        """Labels that only a newer version writes."""
        newer = (change for change in self.catalog.changes if not self.has(change.since))
        return frozenset(str(label) for change in newer for label in change.add)

    def labels_of(self, metric: Metric) -> frozenset[str]:
        """Every label that a series of the metric can have."""
        return self._stored_labels(metric)[0].possible

    def always(self, metric: Metric) -> frozenset[str]:
        """Labels that every series of the metric has."""
        return self._stored_labels(metric)[0].certain

    def scraped(self, metric: Metric) -> Labels:
        """Labels of the metric's series when they arrive, before they are relabelled."""
        certain = self._certain(metric)
        return Labels(certain, self._possible(metric) | certain)

    def _stored_labels(self, metric: Metric) -> tuple[Labels, bool]:
        """Labels of the metric's series as they are stored, and whether any is."""
        key = (metric.name, metric.per, metric.labels, metric.sometimes)
        if key not in self._known:
            scraped = self.scraped(metric)
            found = of_labels(scraped, str(metric.name), self.relabelings)
            self._known[key] = (scraped if found is None else found, found is not None)
        return self._known[key]

    @cached_property
    def _known(self) -> dict[object, tuple[Labels, bool]]:
        return {}

    def _possible(self, metric: Metric) -> frozenset[str]:
        written = {*self.catalog.entity_labels.get(metric.per, ()), *metric.labels} - self.not_yet
        labels = {self._arriving(self.renames.get(label, label)) for label in written}
        labels |= TARGET_LABELS | set(map(str, self.spec.target_labels))
        labels.update(self.spec.labels.values())
        if (
            metric.per in ("gpu", "slice", "vgpu", "link")
            or metric.per in self.catalog.entity_labels
        ):
            labels.update(self.workload_label(label) for label in self.catalog.workload_labels)
            labels.update(self.metrics_as_labels)
        return frozenset(labels)

    def _certain(self, metric: Metric) -> frozenset[str]:
        catalog = self.catalog
        written = {*catalog.entity_labels.get(metric.per, ()), *metric.labels} - self.not_yet
        written -= {*catalog.sometimes.get(metric.per, ()), *metric.sometimes}
        labels = {self._arriving(self.renames.get(label, label)) for label in written}
        for canonical, label in self.spec.labels.items():
            raw = catalog.identity.get(canonical)
            if raw in written and not self.spec.metric_relabelings:
                labels = labels - {self.renames.get(raw, raw)} | {label}
        subject = catalog.workload_always.get(metric.per, ())
        labels.update(self.workload_label(label) for label in subject)
        labels.update(map(str, self.spec.target_labels))
        # Not every target stands in a pool, but those that report GPUs do.
        target = (names.CLUSTER, names.POOL) if catalog.vendor else (names.CLUSTER,)
        declared = {str(name): str(label) for name, label in self.spec.labels.items()}
        return frozenset(labels | {declared.get(each, each) for each in target} | EVERY_SCRAPE)

    @cached_property
    def metrics_as_labels(self) -> frozenset[str]:
        """Collected fields that are no series: the exporter puts them on every series as a label."""
        return frozenset(name for name, metric in self.written() if metric.kind == "label")

    @cached_property
    def stored(self) -> tuple[tuple[str, Metric], ...]:
        """Every metric as it is stored: several series of a histogram, none of a label."""
        return tuple(each for name, metric in self.collected() for each in series_of(name, metric))

    def collected(self) -> Iterator[tuple[str, Metric]]:
        """Every metric that this fleet collects from the exporter and stores, under the name that it writes."""
        for name, metric in self.written():
            if not self.relabelings or self._stored_labels(metric)[1]:
                yield name, metric

    def written(self) -> Iterator[tuple[str, Metric]]:
        """Every metric that this fleet's configuration of the exporter names, labels of other series too."""
        wanted = {*self.spec.collect, EVERY_TARGET}
        for metric in self.catalog.metrics:
            if not self.has(metric.since):
                continue
            spelled = [name for name in (metric.name, *metric.aliases) if name in wanted]
            if not spelled and not wanted.isdisjoint(metric.groups):
                spelled = [metric.name]
            yield from ((name, metric) for name in spelled)


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


def series_of(name: str, metric: Metric) -> Iterator[tuple[str, Metric]]:
    """What a metric is stored as: several series for a histogram and a summary, none for a label of other series."""
    if metric.kind == "label":
        return
    if metric.kind not in ("histogram", "summary"):
        yield name, metric
        return
    parts = LabelName("le" if metric.kind == "histogram" else "quantile")
    whole = {label: count for label, count in metric.each.items() if label != parts}
    count = replace(metric, kind="counter", unit="events", range=(0, None), integer=True)
    labels = (*metric.labels, parts)
    if metric.kind == "histogram":
        yield f"{name}_bucket", replace(count, labels=labels)
    else:
        yield name, replace(metric, kind="gauge", labels=labels)
    yield f"{name}_sum", replace(metric, kind="counter", range=(0, None), each=whole)
    yield f"{name}_count", replace(count, each=whole)


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
