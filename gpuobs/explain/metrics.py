"""The page of a metric: what it says, how to read it, its labels in this fleet, who collects it and who reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from gpuobs import catalog, names
from gpuobs.explain.layout import hanging, row
from gpuobs.explain.readers import readers
from gpuobs.exporters import EVERY_TARGET, TARGET_LABELS, ExporterInUse, series_of
from gpuobs.ir import Program
from gpuobs.policy import Collected, Policy
from gpuobs.promql import units
from gpuobs.spec.model import Exporter, Metric, MetricCatalog

_KINDS = {
    "gauge": "gauge: goes up and down",
    "counter": "counter: only grows, and begins again at 0; read it with rate() or increase()",
    "rate": "a rate already, a gauge: no rate() on it",
    "code": "code: a number that stands for a state; compare it with ==, no mean or sum",
    "latched-code": "last code: kept until something resets it; no '> 0', mean, sum or rate",
    "boolean": "0 or 1",
    "bitmask": "sum of bits: test one bit at a time",
    "info": "always 1: what it says is in its labels; join it with group_left",
    "histogram": "histogram: {name}_bucket by 'le', {name}_sum and {name}_count",
    "summary": "summary: {name} by 'quantile', {name}_sum and {name}_count",
    "label": "no series: a text that the exporter puts on every series, as a label of this name",
}
_ENTITIES = {
    "gpu": "one GPU",
    "slice": "one GPU, or one MIG instance where the GPU is cut",
    "link": "one link of a GPU or switch",
    "switch": "one NVSwitch",
    "cpu": "one CPU",
    "cpu-core": "one CPU core",
    "nic": "one network device",
    "vgpu": "one virtual GPU",
    "node": "one node",
    "pod": "one pod",
    "container": "one container",
    "target": "one process that is scraped",
    "global": "what its labels name",
}
_OF_INSTANCES = {
    "ratio": ", a share of its own slices: weigh it by them",
    "mebibytes": ": the GPU's is their sum",
    "bytes": ": the GPU's is their sum",
}


@dataclass(frozen=True, slots=True)
class _Found:
    """A metric as the fleet's exporter writes it, or as the stock one does where the fleet has none."""

    asked: str
    name: str
    metric: Metric
    exporter: ExporterInUse
    policy: Policy | None
    in_fleet: bool

    @property
    def collected(self) -> Collected | None:
        """The metric among those that the fleet collects."""
        series = (self.asked, *(name for name, _ in series_of(self.name, self.metric)))
        every = self.policy.collected if self.policy is not None and self.in_fleet else {}
        return next((every[name] for name in series if name in every), None)


@cache
def known() -> Mapping[str, tuple[str, Metric, MetricCatalog]]:
    """Every name of the built-in catalogs, series of histograms too, with the spelling that it is a series of."""
    found: dict[str, tuple[str, Metric, MetricCatalog]] = {}
    for name in catalog.metric_catalog_names():
        loaded = catalog.metric_catalog(name)
        if loaded is not None:
            found = {**_names(loaded), **found}
    return found


def _names(loaded: MetricCatalog) -> dict[str, tuple[str, Metric, MetricCatalog]]:
    found: dict[str, tuple[str, Metric, MetricCatalog]] = {}
    for metric in loaded.metrics:
        for spelling in (metric.name, *metric.aliases):
            for written in (spelling, *(name for name, _ in series_of(spelling, metric))):
                found[written] = (spelling, metric, loaded)
    return found


def page(name: str, program: Program | None) -> str | None:
    """The page of a metric, in the project's fleet where there is one."""
    found = _find(name, program.policy if program is not None else None)
    if found is None:
        return _mistaken(name)
    return "\n".join((*_head(found), *_reading(found), *_fleet(found, program), *_tail(found)))


def _find(name: str, policy: Policy | None) -> _Found | None:
    for exporter in policy.exporters if policy is not None else ():
        written = _names(exporter.catalog)
        if name in written:
            spelling, metric, _ = written[name]
            return _Found(name, spelling, metric, exporter, policy, in_fleet=True)
    if name not in known():
        return None
    spelling, metric, loaded = known()[name]
    stock = Exporter(written=loaded.written, catalog=loaded.name, job="")
    return _Found(name, spelling, metric, ExporterInUse(stock, loaded), policy, in_fleet=False)


def _mistaken(name: str) -> str | None:
    mistake = catalog.mistaken(name)
    if mistake is None:
        return None
    right, why = mistake
    reason = why or "no version of any exporter writes it"
    return f"{name} is no metric: {reason}.\nWrite {right}."


def _head(found: _Found) -> Iterator[str]:
    metric = found.metric
    title = found.asked if found.asked == found.name else f"{found.asked}, of {found.name}"
    yield title
    yield from hanging("  ", _sentence(metric.help))
    yield ""
    yield from row("kind", _KINDS[metric.kind].format(name=found.name))
    yield from row("unit", _unit(metric.unit))
    yield from row("range", _range(metric))
    if metric.kind != "label":
        yield from row("stands for", _ENTITIES[metric.per])


def _unit(name: str) -> str:
    """A unit in words, with what makes its base unit of it."""
    unit = units.named(name)
    if unit is None or name == "code":
        return ""
    words = f"units of {name}" if name[:1].isdigit() else name
    base = units.Unit(unit.dimensions)
    factor = units.conversion(unit, base)
    if factor is not None and factor != 1:
        words += f"; {units.spelt(factor)} is {base}"
    return words.replace("-", " ")


def _range(metric: Metric) -> str:
    if metric.range is None or metric.kind == "boolean":
        return ""
    low, high = (None if end is None else f"{end:,.12g}" for end in metric.range)
    if low is None or high is None:
        bounds = f"{low} and up" if low is not None else f"up to {high}" if high else ""
    else:
        bounds = f"{low} to {high}"
    beyond = "; values beyond were seen: blanks or glitches" if metric.sentinel else ""
    return bounds + (", whole numbers" if bounds and metric.integer else "") + beyond


def _reading(found: _Found) -> Iterator[str]:
    metric = found.metric
    bits = (f"{value} {meaning}" for meaning, value in metric.bits.items())
    yield from row("bits", ", ".join(bits))
    for label, values in metric.values.items():
        yield from row("values", f"{label}: {', '.join(values)}")
    yield from row("whole", _whole(metric))
    yield from row("MIG", _mig(found))
    elsewhere = [where for where in metric.unsupported if where != "mig"]
    yield from row("missing", f"on {', '.join(elsewhere)}" if elsewhere else "")


def _whole(metric: Metric) -> str:
    total = " + ".join((metric.name, *metric.rest)) if metric.rest else ""
    return " = ".join(filter(None, (metric.whole, total)))


def _mig(found: _Found) -> str:
    metric = found.metric
    if "mig_instance" not in found.exporter.catalog.identity or metric.kind == "label":
        return ""
    if "mig" in metric.unsupported:
        return "missing while the GPU is cut"
    if metric.per == "slice":
        return "each instance has its own value" + _OF_INSTANCES.get(metric.unit, "")
    if metric.per != "gpu":
        return ""
    return "the board's value, repeated for each instance: take max by the GPU, never a sum"


def _fleet(found: _Found, program: Program | None) -> Iterator[str]:
    yield ""
    if found.metric.kind == "label":
        yield from row("collected", _collected(found))
        return
    yield from _labels(found)
    yield from row("collected", _collected(found))
    for what, who in readers(program, found.name, found.metric) if program else ():
        yield from row(what, ", ".join(who))


def _labels(found: _Found) -> Iterator[str]:
    """The labels of every series, and those that only some have, by where they come from."""
    exporter, metric = found.exporter, found.metric
    collected = found.collected
    if collected is not None and found.policy is not None:
        always = found.policy.always(collected)
    else:
        always = exporter.always(metric)
    ordered = [*exporter.catalog.entity_labels.get(metric.per, ()), *metric.labels]
    written = [exporter.renames.get(label, label) for label in ordered]
    possible = exporter.labels_of(metric)
    if found.policy is None:
        always, possible = (each - {names.CLUSTER, names.POOL} for each in (always, possible))
    own = [label for label in written if label in always]
    yield from row("labels", " ".join([*own, *sorted(always - set(own))]))
    prefixes = ", ".join(f"{prefix}..." for prefix in metric.label_prefixes)
    yield from row("", f"and {prefixes}" if prefixes else "")
    left = possible - always
    word = "sometimes"
    for origin, labels in _origins(exporter):
        some = sorted(left & labels, key=lambda label: (label not in written, label))
        left -= labels
        yield from row(word if some else "", f"{origin}: {' '.join(some)}" if some else "")
        word = "" if some else word
    yield from row(word, " ".join(sorted(left)))


def _origins(exporter: ExporterInUse) -> Iterator[tuple[str, frozenset[str]]]:
    """Where labels come from that a series may lack."""
    mig = {exporter.label(names.MIG_PROFILE), exporter.label(names.MIG_INSTANCE)}
    workload = {exporter.workload_label(label) for label in exporter.catalog.workload_labels}
    shared = " (else of the target)" if workload & TARGET_LABELS else ""
    yield "on MIG instances", frozenset(filter(None, mig))
    yield f"of the workload{shared}", frozenset(workload)
    yield "of the target", TARGET_LABELS
    yield "fields collected as labels", exporter.metrics_as_labels


def _collected(found: _Found) -> str:
    exporter, metric = found.exporter, found.metric
    groups = ", ".join(metric.groups)
    version = exporter.spec.version or next(iter(exporter.catalog.versions[-1:]), "")
    by = f"{exporter.catalog.name} {version}".strip()
    if found.policy is None:
        return f"by {by}, group {groups} (no fleet here: labels are those of a stock scrape)"
    if not found.in_fleet:
        return f"not in this fleet: '{exporter.catalog.name}' writes it, group {groups}"
    if not exporter.has(metric.since):
        return f"not in this fleet: needs {metric.since}, and {by} runs"
    since = _accepted_since(found)
    if found.name != metric.name and not exporter.has(since):
        return f"not in this fleet: this spelling needs {since}, and {by} runs"
    if EVERY_TARGET in metric.groups:
        return "for every target that Prometheus scrapes"
    if found.collected is not None or found.name in exporter.metrics_as_labels:
        return f"by {by}, job {exporter.spec.job}, group {groups}"
    first = metric.groups[0] if metric.groups else found.name
    add = found.name if first == "default" else f"{found.name}, or its group '{first}',"
    return f"not in this fleet: add {add} to 'collect' of {exporter.catalog.name}"


def _tail(found: _Found) -> Iterator[str]:
    metric = found.metric
    if metric.traps:
        yield ""
        for index, trap in enumerate(metric.traps):
            yield from row("traps" if index == 0 else "", f"- {trap}", indent=2)
    yield ""
    yield from row("also", _aliases(found))
    yield from row("since", metric.since)
    identity = f", field {metric.field_id}" if metric.field_id is not None else ""
    yield from row("source", f"{_source(found)}{identity}")


def _aliases(found: _Found) -> str:
    metric = found.metric
    others = [name for name in (metric.name, *metric.aliases) if name != found.name]
    since = _accepted_since(found)
    version = f", accepted since {since}" if since and found.name == metric.name else ""
    return ", ".join(others) + version if others else ""


def _accepted_since(found: _Found) -> str:
    return found.metric.aliases_since or found.exporter.catalog.aliases_since


def _source(found: _Found) -> str:
    """Where it stands: of the metric, or what the first sentence of the catalog's description is from."""
    first = found.exporter.catalog.description.partition(". ")[0]
    return found.metric.source or first.rpartition(" from ")[2].rstrip(".")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
