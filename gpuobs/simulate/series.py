"""The series that a target writes, each by itself: the second count of a fleet, which `gpuobs.budget` multiplies out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from gpuobs.exporters import EVERY_TARGET, series_of
from gpuobs.policy import Policy
from gpuobs.simulate.entities import Entity, Holder, Target
from gpuobs.spec.model import Metric

# Label to its values, where the specs bound it.
Known = Mapping[str, Sequence[str]]

_RULE_MADE = ("ALERTS", "ALERTS_FOR_STATE")
_VERSIONS = {"DCGM_FI_DRIVER_VERSION": "570.124.06"}
_QUANTILES = ("0.5", "0.9", "0.99")
# Labels that tell entities apart.
_NAMING = r"^(uid|provider_id|system_uuid)$|pod(_name|_uuid|group)?$"
_OF_DEVICES = ("gpu", "slice", "vgpu", "link")


@dataclass(frozen=True, slots=True)
class Family:
    """The series that one TYPE line stands for."""

    name: str
    kind: str
    help: str


@dataclass(frozen=True, slots=True)
class Series:
    """One series as an exporter writes it. Where a pod holds its entity, its labels are the holder's too."""

    name: str
    metric: Metric
    labels: tuple[tuple[str, str], ...]
    entity: Entity
    family: Family
    holder: Holder | None = None


def known_values(policy: Policy, rule_groups: Sequence[str] = ()) -> Known:
    """Values of labels that the specs bound: by the Budget, or by what they make of Prometheus."""
    stated = policy.budget.labels.values if policy.budget and policy.budget.labels else {}
    store = policy.fleet.storage.long_term if policy.fleet.storage else None
    writes = store is not None and store.mode == "remote-write"
    written = writes and store is not None and store.kind in ("mimir", "thanos")
    known: dict[str, Sequence[str]] = {
        "scrape_job": [exporter.spec.job for exporter in policy.exporters],
        "rule_group": rule_groups,
        "remote_name": ["long-term"] if written else [],
    }
    return known | {str(label): [str(i) for i in range(number)] for label, number in stated.items()}


def series(target: Target, known: Known) -> Iterator[Series]:
    """Every series that a target can write, metric by metric; those of events too, which it has not while all is well."""
    shared: dict[tuple[str, str], dict[str, str]] = {}
    for name, metric in target.exporter.collected():
        if EVERY_TARGET in metric.groups or name in _RULE_MADE or not _supported(target, metric):
            continue
        family = Family(name, metric.kind, metric.help)
        kinds = _entities(target, metric)
        entities = [entity for entity in target.entities if entity.kind in kinds]
        for written, part in series_of(name, metric):
            each = list(_each(target, part, known))
            for entity in entities:
                key = (part.per, entity.key)
                labels = _labels(target, part, entity) if part.labels else shared.get(key)
                if labels is None:
                    labels = shared[key] = _labels(target, part, entity)
                for row in each:
                    pairs = tuple(sorted((labels | row).items())) if row else tuple(labels.items())
                    for holder in _holders(target, entity):
                        yield Series(written, part, pairs, entity, family, holder)


def _entities(target: Target, metric: Metric) -> tuple[str, ...]:
    """Kinds of the entities that have series of a metric."""
    if target.node is None:
        return {"node": ("node",), "pod": ("pod",), "container": ("pod",)}.get(
            metric.per, ("target",)
        )
    if metric.per in ("gpu", "slice"):
        return ("gpu", "instance")
    return ("node",) if metric.per in ("target", "global") else (metric.per,)


def _supported(target: Target, metric: Metric) -> bool:
    if target.node is None or not target.exporter.catalog.vendor:
        return True
    model = target.node.model
    lacking = {model.name, model.architecture, *(("mig",) if target.node.pool.mig else ())}
    return not lacking & set(metric.unsupported) and metric.name not in model.unsupported


def _holders(target: Target, entity: Entity) -> tuple[Holder | None, ...]:
    """The pods whose labels an entity's series carry, or none."""
    loads = target.cluster.workloads
    named = loads is None or loads.identity == "dcgm-pod-labels" or target.node is None
    carried = named and target.exporter.catalog.workload_labels
    return entity.holders if carried and entity.holders else (None,)


def _labels(target: Target, metric: Metric, entity: Entity) -> dict[str, str]:
    """An entity's labels as this version of the exporter writes them, in order."""
    exporter, catalog = target.exporter, target.exporter.catalog
    canonical = {str(raw): str(name) for name, raw in catalog.identity.items()}
    written = [*catalog.entity_labels.get(metric.per, ()), *metric.labels]
    rare = {*catalog.sometimes.get(metric.per, ()), *metric.sometimes}
    found = {}
    for label in map(str, written):
        if label in exporter.not_yet or label in metric.each:
            continue
        own = entity.canonical.get(canonical.get(label, ""), entity.raw.get(label, ""))
        value = own or ("" if label in rare else _some_value(metric, label, entity))
        if value:
            found[exporter.renames.get(label, label)] = value
    if metric.per in _OF_DEVICES or metric.per in catalog.entity_labels:
        found |= {name: _VERSIONS.get(name, "1") for name in exporter.metrics_as_labels}
    if not entity.holders:
        found |= {str(label): "default" for label in catalog.workload_always.get(metric.per, ())}
    return dict(sorted(found.items()))


def _some_value(metric: Metric, label: str, entity: Entity) -> str:
    """A value for a label that follows the entity, and of which the fleet says nothing."""
    values = {str(name): values for name, values in metric.values.items()}.get(label)
    if values:
        return values[0]
    return entity.key if re.search(_NAMING, label) else "none"


def _each(target: Target, metric: Metric, known: Known) -> Iterator[dict[str, str]]:
    """Combinations of the labels of which an entity has a series for each value; none where nobody bounds them."""
    columns = []
    for label, number in metric.each.items():
        if number == 1 and label in metric.sometimes and label not in known:
            continue
        values = _values(target, metric, str(label), known)
        columns.append([(target.exporter.renames.get(label, label), value) for value in values])
    for row in product(*columns):
        yield {str(label): value for label, value in row}


def _values(target: Target, metric: Metric, label: str, known: Known) -> Sequence[str]:
    if label == "peer_gpu" and target.node:
        return [str(i) for i in range(1, target.node.pool.gpus_per_node)]
    if label in known:
        return known[label]
    number = {str(name): number for name, number in metric.each.items()}[label]
    number = number or int(metric.on_event)  # which an incident then gives its value
    if label == "le":
        return [*(str(2.0**i) for i in range(number - 1)), *(["+Inf"] if number else [])]
    if label == "quantile":
        return [*_QUANTILES, *(f"0.99{i}" for i in range(1, number - 2))][:number]
    said = {str(name): values for name, values in metric.values.items()}.get(label, ())
    return [*said[:number], *(str(i) for i in range(number - len(said)))]
