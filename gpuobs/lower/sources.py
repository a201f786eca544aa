"""A signal's source on this fleet: the vendor's metrics folded to one value a GPU, blanks clamped first.

What repeats a GPU is folded before anything is aggregated: a second pod during a hand-over, driver and container
labels, and MIG instances, which repeat a board's value or share it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from gpuobs import names, promql
from gpuobs.exporters import ExporterInUse
from gpuobs.lower import queries
from gpuobs.policy import Collected, Policy, alternatives, slices
from gpuobs.spec.model import Signal

_OF_GPU = (names.CLUSTER, names.POOL, names.NODE, names.GPU, names.GPU_UUID, names.MODEL)
_MAXIMUM_KINDS = frozenset({"code", "latched-code", "boolean", "bitmask", "info"})


@dataclass(frozen=True, slots=True)
class Source:
    """One vendor's expression for a signal, over metrics that the fleet collects."""

    signal: Signal
    vendor: str
    exporter: ExporterInUse
    text: str
    metrics: Mapping[str, Collected]  # by the name that the text uses
    profiles: Mapping[
        tuple[int, int], tuple[str, ...]
    ]  # (slices, of a whole GPU's) to MIG profiles

    @property
    def per_slice(self) -> bool:
        return any(collected.metric.per == "slice" for collected in self.metrics.values())

    @property
    def dimensions(self) -> tuple[tuple[str, str], ...]:
        """The signal's own labels beyond the GPU, canonical and written alike."""
        return tuple((label, label) for label in self.signal.by)

    def labels(self, *canonical: str) -> tuple[tuple[str, str], ...]:
        """Pairs of canonical and written label, for those that this exporter has."""
        pairs = ((label, self.exporter.label(label)) for label in canonical)
        return tuple((label, written) for label, written in pairs if written)

    @property
    def gpu_labels(self) -> tuple[tuple[str, str], ...]:
        return self.labels(*_OF_GPU) + self.dimensions

    @property
    def workload_labels(self) -> tuple[tuple[str, str], ...]:
        return self.labels(names.CLUSTER, names.NAMESPACE, names.POD) + self.dimensions


def source_of(policy: Policy, signal: Signal, vendor: str) -> Source | None:
    """The first of a signal's expressions for a vendor whose metrics are all collected."""
    return _source_of(policy, str(signal.name), vendor)


@lru_cache(maxsize=4096)
def _source_of(policy: Policy, name: str, vendor: str) -> Source | None:
    signal = policy.signals[name]
    exporter = policy.exporter_of(vendor)
    if exporter is None:
        return None
    written_as = {id(c.metric): c for c in policy.collected.values() if c.exporter is exporter}
    for text, _ in alternatives(signal, vendor):
        parsed = promql.parse(text)
        if isinstance(parsed, promql.Refused):
            continue
        metrics = {}
        for selected in promql.selectors(parsed):
            known = policy.known.get(selected.name)
            if known is None or id(known[0]) not in written_as:
                break
            metrics[selected.name] = written_as[id(known[0])]
        else:
            return Source(signal, vendor, exporter, text, metrics, _profiles(policy, vendor))
    return None


def missing_metrics(policy: Policy, signal: Signal, vendor: str) -> tuple[str, ...]:
    """Metrics of a signal's first expression for a vendor that the fleet does not collect."""
    for text, _ in alternatives(signal, vendor):
        parsed = promql.parse(text)
        if not isinstance(parsed, promql.Refused):
            collected = {id(c.metric) for c in policy.collected.values()}
            wanted = dict.fromkeys(selected.name for selected in promql.selectors(parsed))
            return tuple(
                name
                for name in wanted
                if name in policy.known and id(policy.known[name][0]) not in collected
            )
    return ()


def vendors_of(policy: Policy, signal: Signal) -> tuple[str, ...]:
    """Vendors of the fleet that report a signal."""
    if signal.ratio is not None:
        of, to = (policy.signals[name] for name in (signal.ratio.of, signal.ratio.to))
        return tuple(v for v in vendors_of(policy, of) if v in vendors_of(policy, to))
    return tuple(
        vendor for vendor in policy.vendors if source_of(policy, signal, vendor) is not None
    )


def _profiles(policy: Policy, vendor: str) -> Mapping[tuple[int, int], tuple[str, ...]]:
    """All profiles that the GPUs of the vendor's MIG pools can have, not only those that the fleet declares.

    A node that was cut in another way than the specs say must not look idle.
    """
    found: dict[tuple[int, int], set[str]] = {}
    for _, pool, model in policy.pools:
        if model.vendor == vendor and pool.mig:
            for profile in model.mig:
                found.setdefault((slices(profile), model.mig_slices), set()).add(profile)
    return {share: tuple(sorted(found[share])) for share in sorted(found)}


def instant(source: Source) -> str:
    """One sample a GPU at an instant, under the exporter's own label names."""
    by = [written for _, written in source.gpu_labels]
    if not (source.per_slice and source.profiles):
        return queries.aggregate("max", by, text_of(source))
    instance = source.exporter.label(names.MIG_INSTANCE) or ""
    profile = source.exporter.label(names.MIG_PROFILE) or ""
    flags = source.signal.unit == "gpus" or (source.signal.range or (0, None))[1] == 1
    codes = any(c.metric.kind in _MAXIMUM_KINDS for c in source.metrics.values())
    if codes or (flags and source.signal.unit != "ratio"):
        return queries.aggregate("max", by, text_of(source))
    if source.signal.unit != "ratio":
        folded = queries.aggregate("max", [*by, instance], text_of(source))
        return queries.aggregate("sum", by, folded)
    return queries.aggregate("sum", by, _weighted(source, [*by, instance], profile))


def _weighted(source: Source, by: list[str], profile: str) -> str:
    """Every instance's ratio times its share of the GPU's compute slices; a whole GPU counts once."""
    weighted = queries.aggregate("max", by, text_of(source, f'{profile}=""'))
    for (part_of, whole), profiles in source.profiles.items():
        part = queries.aggregate("max", by, text_of(source, queries.matcher(profile, profiles)))
        share = f"{part_of} / {whole}"
        weighted = queries.binary(weighted, "or", queries.binary(part, "*", share))
    return weighted


def by_workload(source: Source) -> str:
    """One sample a device and pod at an instant: what the pod's own devices report."""
    instance = source.labels(names.MIG_INSTANCE) if source.per_slice and source.profiles else ()
    pairs = (*source.workload_labels, *source.labels(*_OF_GPU[1:]), *instance)
    by = list(dict.fromkeys(written for _, written in pairs))
    pod = source.exporter.label(names.POD)
    return queries.aggregate("max", by, text_of(source, f'{pod}!=""'))


def per_second(source: Source, function: str, window: str) -> str:
    """`rate` or `increase` of a counter source, one sample a GPU, under the exporter's label names.

    The function goes to every metric by itself, before anything is added up: a sum of counters is no counter.
    """
    by = [written for _, written in source.gpu_labels]
    edits = []
    for selected in promql.selectors(_parsed(source.text)):
        name = source.metrics[selected.name].name
        body = name + source.text[selected.name_end : selected.end]
        rated = queries.aggregate("max", by, f"{function}({body}[{window}])")
        edits.append((selected.start, selected.end, rated))
    return _edited(source.text, edits)


def text_of(source: Source, matcher: str = "") -> str:
    """The source as written, with the fleet's metric names, one more matcher, and blanks clamped away.

    A presence signal (unit `gpus`) counts series whatever their value, so it is not clamped.
    """
    edits = []
    for selected in promql.selectors(_parsed(source.text)):
        collected = source.metrics[selected.name]
        matchers = source.text[selected.name_end : selected.end].strip()[1:-1].strip().rstrip(",")
        inside = [part for part in (matcher, matchers) if part]
        text = queries.selector(collected.name, inside)
        highest = collected.metric.range[1] if collected.metric.range else None
        if highest is not None and source.signal.unit != "gpus":
            text = f"{text} <= {queries.number(highest)}"
            text = text if text_is_all(source.text, selected.start, selected.end) else f"({text})"
        edits.append((selected.start, selected.end, text))
    return _edited(source.text, edits)


def text_is_all(text: str, start: int, end: int) -> bool:
    return not (text[:start] + text[end:]).strip()


def _parsed(text: str) -> promql.Parsed:
    parsed = promql.parse(text)
    assert isinstance(parsed, promql.Parsed)
    return parsed


def _edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    for start, end, replacement in sorted(edits, reverse=True):
        text = text[:start] + replacement + text[end:]
    return text
