"""The Fleet's exporters with their catalogs, and what is wrong with how they are scraped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from gpuobs import catalog, names, promql
from gpuobs.catalog.versions import version_key
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.nearest import did_you_mean
from gpuobs.promql.labelset import Labels
from gpuobs.promql.relabel import Step, of_labels
from gpuobs.spec.model import Exporter, Fleet, Metric, MetricCatalog, Relabeling
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


def in_use(
    fleet: Fleet, own: Mapping[str, MetricCatalog], problems: list[Diagnostic]
) -> tuple[ExporterInUse, ...]:
    """The exporters with their catalogs, the project's own before the built-in ones."""
    found: list[ExporterInUse] = []
    for exporter in fleet.exporters:
        chosen = own.get(exporter.catalog) or catalog.metric_catalog(exporter.catalog)
        if chosen is None:
            known = {*own, *catalog.metric_catalog_names()}
            message = f"no MetricCatalog '{exporter.catalog}'"
            hint = did_you_mean(exporter.catalog, known)
            problems.append(
                error(exporter.where("catalog"), "fleet/unknown-catalog", message, hint)
            )
            continue
        groups = {group for metric in chosen.metrics for group in metric.groups}
        single = {name for metric in chosen.metrics for name in (metric.name, *metric.aliases)}
        for index, wanted in enumerate(exporter.collect):
            if wanted not in groups | single and wanted != "default":
                message = f"catalog '{chosen.name}' has no metric group and no metric '{wanted}'"
                hint = did_you_mean(wanted, groups | single) or "groups: " + ", ".join(
                    sorted(groups)
                )
                place = exporter.where("collect", index)
                problems.append(error(place, "fleet/unknown-group", message, hint))
        if exporter.version and not any(c.isdigit() for c in exporter.version):
            message = f"'{exporter.version}' is no version"
            hint = "known: " + ", ".join(chosen.versions) if chosen.versions else ""
            problems.append(error(exporter.where("version"), "fleet/version", message, hint))
        elif chosen.changes and not exporter.version:
            message = f"what '{chosen.name}' writes depends on its version, which is not given"
            hint = f"add 'version: {chosen.versions[-1]}', or the one that runs"
            problems.append(error(exporter.where("catalog"), "fleet/version", message, hint))
        steps = [each for step in exporter.metric_relabelings for each in _step_problems(step)]
        used = ExporterInUse(exporter, chosen)
        problems.extend(steps or _lost_identity(used))
        found.append(used)
    return tuple(found)


_SETTING = ("replace", "hashmod", "lowercase", "uppercase", "keepequal", "dropequal")


def _step_problems(step: Relabeling) -> Iterator[Diagnostic]:
    """Why Prometheus would refuse a step, and what the analysis cannot follow."""
    code = "fleet/relabeling"
    if step.action in _SETTING and not step.target_label:
        message = f"'{step.action}' needs a 'targetLabel'"
        yield error(step.where(), code, message, "name the label that it sets or compares")
    if step.target_label == "__name__":
        message = "a metric that is renamed here would be unknown under its new name"
        hint = "keep its name, and record it under another one"
        yield error(step.where("targetLabel"), code, message, hint)
    elif "$" in step.target_label:
        message = "a label whose name is made of a value cannot be followed"
        yield error(step.where("targetLabel"), code, message, "name the label")
    if step.action == "hashmod" and not step.modulus:
        yield error(step.where(), code, "'hashmod' needs a 'modulus' above 0", "modulus: 16")
    refused = promql.regex_problem(step.regex)
    if refused:
        message = f"Prometheus cannot compile this regular expression: {refused}"
        yield error(step.where("regex"), code, message)


def _lost_identity(exporter: ExporterInUse) -> Iterator[Diagnostic]:
    """A label that tells nodes or GPUs apart, and that relabelling takes away."""
    for canonical in exporter.catalog.identity:
        if exporter.relabelings and exporter.label(canonical) is None:
            message = f"these steps leave no label that says the {canonical.replace('_', ' ')}"
            hint = f"keep '{exporter.catalog.identity[canonical]}', or copy it to another label before it is dropped"
            yield error(exporter.spec.where("metricRelabelings"), "fleet/relabeling", message, hint)
