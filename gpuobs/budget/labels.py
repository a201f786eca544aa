"""What each label does to the series of its exporter: multiply them, name what is counted, change with a pod, or nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from gpuobs import names
from gpuobs.budget import storage
from gpuobs.budget.census import Line
from gpuobs.exporters import TARGET_LABELS

# `multiplies`: one thing has several values at a time. `names`: it tells things apart that are counted as such.
# `churns`: it names a pod, and each series begins anew with the next one. `follows`: it adds nothing.
Role = Literal["multiplies", "names", "churns", "follows"]
_ORDER: tuple[Role, ...] = ("multiplies", "churns", "names", "follows")
_NAMED = {
    names.NODE: "nodes",
    names.GPU: "GPUs",
    names.GPU_UUID: "GPUs",
    names.MIG_INSTANCE: "MIG instances",
    names.MIG_PROFILE: "MIG instances",
}
_MIG = "MIG instances"
_OF_POD = frozenset({names.NAMESPACE, names.POD, "container"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCost:
    """One label on the series of an exporter.

    `things` is what it names, `times` by how much it multiplies. Without it there would be `adds` fewer active series, and
    `ended` fewer in the head; labels that name the same add these together, not each.
    """

    exporter: str
    label: str
    role: Role
    things: str = ""
    times: int = 1
    series: int = 0
    adds: int = 0
    ended: int = 0


def labels(lines: Iterable[Line]) -> list[LabelCost]:
    """Every label of scraped series, those first that cost most."""
    found: dict[tuple[str, str], LabelCost] = {}
    for line in lines:
        if not line.active:
            continue
        for label in line.exporter.labels_of(line.metric):
            cost = _cost(line, label)
            if cost is not None:
                key = (cost.exporter, label)
                found[key] = _together(found[key], cost) if key in found else cost
    return sorted(
        found.values(),
        key=lambda e: (-e.adds - e.ended, _ORDER.index(e.role), -e.series, e.exporter, e.label),
    )


def _together(one: LabelCost, other: LabelCost) -> LabelCost:
    """A label on the series of two metrics: what it does on either."""
    first = min(one, other, key=lambda each: _ORDER.index(each.role))
    return replace(
        first,
        times=max(one.times, other.times),
        series=one.series + other.series,
        adds=one.adds + other.adds,
        ended=one.ended + other.ended,
    )


def _cost(line: Line, label: str) -> LabelCost | None:
    """None where series of this line cannot have it: a MIG instance's, where no GPU is cut."""
    role, things, times = _role(line, label)
    if things == _MIG and times == 0:
        return None
    ended = round(line.churned(storage.HEAD_SECONDS)) if role == "churns" else 0
    return LabelCost(
        exporter=str(line.exporter.catalog.name),
        label=label,
        role=role,
        things=things,
        times=times,
        series=line.active,
        adds=line.active - line.active // times,
        ended=ended,
    )


def _role(line: Line, label: str) -> tuple[Role, str, int]:
    """What a label does, to what, and how often."""
    counts = {factor.what: factor.count for factor in line.factors}
    values = next((f.count for f in line.factors if f.of_label and f.what == label), 0)
    if values:
        return ("multiplies", "", values) if values > 1 else ("follows", "", 1)
    own = None if label in TARGET_LABELS else label
    canonical = line.exporter.canonical.get(label, own)
    if line.renewed and canonical in _OF_POD:
        return "churns", "pods", counts.get("pods", 1)
    things = _NAMED.get(canonical or "", "")
    if things == _MIG:
        return "names", things, counts.get(_MIG, 0)
    # Of a node or a GPU: it tells apart what the product counts, and is no further factor.
    return ("names", things, 1) if things in counts else ("follows", "", 1)
