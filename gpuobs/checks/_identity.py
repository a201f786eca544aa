"""What the labels of a series still tell after some steps: which labels each was made of, and how many values it has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import prod

from gpuobs.checks._scrape_jobs import EVERYTHING, SETTING
from gpuobs.promql import re2
from gpuobs.promql.labelset import NAME
from gpuobs.promql.relabel import Step, expanded

_SOMETHING = (".+", "(.+)")


@dataclass(frozen=True, slots=True)
class Trace:
    """What a label's value was made of, and how many values it can have, None where nothing bounds them."""

    of: frozenset[str]
    values: int | None = None

    def with_other(self, other: Trace) -> Trace:
        """Of a label that has the one value or the other."""
        bounded = self.values is not None and other.values is not None
        values = (self.values or 0) + (other.values or 0) if bounded else None
        return Trace(self.of | other.of, values)


_CONSTANT = Trace(frozenset(), 1)


@dataclass(frozen=True, slots=True)
class Traces:
    """The labels of a metric's series with what they tell; `chosen_by` are the labels by whose values some were dropped.

    `certain` are those that every series has.
    """

    labels: Mapping[str, Trace]
    certain: frozenset[str]
    chosen_by: frozenset[str] = field(default_factory=frozenset)

    def tells(self, labels: Iterable[str], count: int) -> bool:
        """Whether what remains may tell as many things apart by the values of some labels."""
        wanted = frozenset(labels)
        if not self.chosen_by.isdisjoint(wanted):
            return True
        left = [each.values for each in self.labels.values() if not each.of.isdisjoint(wanted)]
        return any(each is None for each in left) or prod(each or 1 for each in left) >= count

    def capacity(self, labels: Iterable[str]) -> int:
        """How many things are told apart by the values of some labels, where that is bounded."""
        wanted = frozenset(labels)
        return prod(each.values or 1 for each in self.labels.values() if each.of & wanted)


def begin(possible: Iterable[str], certain: Iterable[str]) -> Traces:
    """Series as they arrive: each label tells itself."""
    return Traces({label: Trace(frozenset((label,))) for label in possible}, frozenset(certain))


def after(traces: Traces, name: str, step: Step) -> Traces | None:
    """What is told after one more step; None where no series is left, or nothing can be said of them."""
    regex = re2.anchored(step.regex)
    if step.action in ("keep", "drop"):
        return _filtered(traces, name, step)
    if step.action in ("keepequal", "dropequal"):
        return _chosen(traces, (*step.sources, step.target))
    if step.action in SETTING:
        return None if "$" in step.target else _set(traces, step)
    if regex is None:
        return None
    if step.action == "labelmap":
        return _mapped(traces, step)
    keep = step.action == "labelkeep"
    kept = {k: v for k, v in traces.labels.items() if (regex.fullmatch(k) is not None) == keep}
    return Traces(kept, traces.certain & kept.keys(), traces.chosen_by)


def _filtered(traces: Traces, name: str, step: Step) -> Traces | None:
    regex, keep = re2.anchored(step.regex), step.action == "keep"
    if step.regex in EVERYTHING:
        return traces if keep else None
    if step.sources == (NAME,) and regex is not None:
        return traces if (regex.fullmatch(name) is not None) == keep else None
    return _chosen(traces, step.sources)


def _chosen(traces: Traces, sources: Iterable[str]) -> Traces:
    told = (traces.labels[each].of for each in sources if each in traces.labels)
    return Traces(traces.labels, traces.certain, traces.chosen_by.union(*told))


def _set(traces: Traces, step: Step) -> Traces:
    sources = [traces.labels[each] for each in step.sources if each in traces.labels]
    always = step.regex in EVERYTHING or step.action != "replace"
    always = always or (step.regex in _SOMETHING and not traces.certain.isdisjoint(step.sources))
    bounded = all(each.values is not None for each in sources)
    made = Trace(
        frozenset().union(*(each.of for each in sources)),
        prod(each.values or 1 for each in sources) if bounded else None,
    )
    if step.action == "hashmod":
        made = Trace(made.of, min(step.modulus, made.values or step.modulus))
    if step.action == "replace" and "$" not in step.replacement:
        # Whether it is set at all may tell one thing from another.
        made = _CONSTANT if always else Trace(made.of, 2)
    if not always and step.target in traces.labels:
        made = made.with_other(traces.labels[step.target])
    labels = {k: v for k, v in traces.labels.items() if k != step.target}
    if not (always and step.action == "replace" and not step.replacement):
        labels[step.target] = made
    return Traces(labels, traces.certain - {step.target}, traces.chosen_by)


def _mapped(traces: Traces, step: Step) -> Traces:
    regex = re2.anchored(step.regex)
    assert regex is not None
    labels = dict(traces.labels)
    for label, trace in traces.labels.items():
        match = regex.fullmatch(label)
        target = expanded(match, step.replacement) if match else ""
        if target:
            labels[target] = labels[target].with_other(trace) if target in labels else trace
    return Traces(labels, traces.certain, traces.chosen_by)
