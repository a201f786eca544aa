"""Unit tests that follow from an objective on events: just over and just under a factor, recovery, a burst that is too short,
and too few events.

All subjects of an alert stand side by side in one scenario, told apart by the first label that the objective is held by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpuobs import promql
from gpuobs.lower import series
from gpuobs.policy import Policy
from gpuobs.spec.model import Slo
from gpuobs.spec.scalars import duration

if TYPE_CHECKING:
    from gpuobs.lower.slos import Alarm

_STEPS = 144  # of an alert's long window, at most: every rule is evaluated at each
_SAMPLES = 60  # seconds between two samples
_EVENTS = 60_000  # between two samples
_NEAR = 0.02  # how near the factor the subjects are that must just fire, and just not


@dataclass(frozen=True, slots=True)
class Subject:
    """One value of the label, with its share of errors in the first third, the middle and the last burst of a test."""

    name: str
    shares: tuple[float, float, float]
    events: float = _EVENTS


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter of a test: its labels, and whether it counts errors, what is no error, or both."""

    name: str
    labels: Mapping[str, str]
    errors: bool
    rest: bool

    def of(self, share: float) -> float:
        """What it gains of one event, where this share of them is an error."""
        return share * self.errors + (1 - share) * self.rest


def derived(policy: Policy, slo: Slo, alarm: Alarm) -> list[dict[str, Any]]:
    """The scenarios of an alert; none where its series cannot be told from what is written."""
    counters = _counters(slo)
    if not counters or not slo.by:
        return []
    step = _step(policy, alarm)
    length = -(-alarm.long.seconds // step) * step
    third = -(-length / 3 // step) * step
    subjects = list(_subjects(slo, alarm, length))
    label = str(slo.by[0])
    lengths = (third, length - third - alarm.short.seconds, alarm.short.seconds)
    return [
        {
            "name": f"shares of errors around {alarm.factor:g} times the budget",
            "interval": str(duration(_SAMPLES)),
            "evaluationInterval": str(duration(step)),
            "series": {
                series.text(each.name, {**each.labels, label: subject.name}): _values(
                    each, subject, lengths
                )
                for subject in subjects
                for each in counters
            },
            "fires": [
                {"at": str(duration(moment)), "labels": {label: subject.name}}
                for moment, firing in ((third, _EARLY), (length, _LATE))
                for subject in subjects
                if subject.name in firing
            ],
        }
    ]


_LATE = ("just-over", "enough")
_EARLY = (*_LATE, "recovered")


def _step(policy: Policy, alarm: Alarm) -> float:
    """Seconds between two evaluations: whole ones of the fleet's, and some within the short window."""
    least = policy.fleet.evaluation_interval.seconds
    wanted = min(alarm.long.seconds / _STEPS, alarm.short.seconds / 3)
    return max(wanted // least, 1) * least


def _subjects(slo: Slo, alarm: Alarm, length: float) -> Iterator[Subject]:
    limit = alarm.factor * (1 - slo.objective)
    least = slo.minimum_total * _SAMPLES / length
    many = max(_EVENTS, 10 * least)
    over, under = min(1.0, limit * (1 + _NEAR)), limit * (1 - _NEAR)
    yield Subject("just-over", (over, over, over), many)
    yield Subject("just-under", (under, under, under), many)
    yield Subject("recovered", (min(1.0, 4 * limit), 0, 0), many)
    burst = min(1.0, limit * alarm.long.seconds / alarm.short.seconds / 2)
    yield Subject("short-burst", (0, 0, burst), many)
    if slo.minimum_total:
        yield Subject("enough", (1, 1, 1), least * 1.25)
        yield Subject("too-few", (1, 1, 1), least * 0.8)


def _values(counter: Counter, subject: Subject, lengths: tuple[float, ...]) -> str:
    """A counter through the parts of a test, in promtool's notation."""
    words, value = [], 0.0
    for share, seconds in zip(subject.shares, lengths, strict=True):
        gain = counter.of(share) * subject.events
        count = round(seconds / _SAMPLES)
        if count <= 0:
            continue
        words.append(f"{_plain(value)}+{_plain(gain)}x{count - 1}")
        value = round(value + gain * count, 6)
    return " ".join((*words, _plain(value)))


def _plain(value: float) -> str:
    """A number without an exponent."""
    from decimal import Decimal

    value = round(value, 6)
    return str(int(value)) if value == int(value) else format(Decimal(repr(value)), "f")


# Series --------------------------------------------------------------------------------------------------------------


def _counters(slo: Slo) -> list[Counter]:
    """The counters that an objective reads, as far as their labels are given."""
    if slo.latency is not None:
        labels = {str(label): values[0] for label, values in slo.latency.match.items()}
        name = str(slo.latency.histogram)
        inside = {**labels, "le": slo.latency.within}
        return [
            Counter(f"{name}_count", labels, errors=True, rest=True),
            Counter(f"{name}_bucket", inside, errors=False, rest=True),
        ]
    if slo.events is None:
        return []
    total = _selected(slo.events.total)
    part = _selected(slo.events.error or slo.events.good or "")
    if total is None or part is None:
        return []
    counts_errors = slo.events.error is not None
    chosen = Counter(part[0], {**total[1], **part[1]}, errors=counts_errors, rest=not counts_errors)
    if total[0] != part[0]:
        chosen = Counter(part[0], part[1], errors=counts_errors, rest=not counts_errors)
        return [Counter(total[0], total[1], errors=True, rest=True), chosen]
    others = {label: "another" for label in part[1] if label not in total[1]}
    if not others:
        return []
    rest = Counter(total[0], {**total[1], **others}, errors=not counts_errors, rest=counts_errors)
    return [chosen, rest]


def _selected(selector: str) -> tuple[str, Mapping[str, str]] | None:
    """A selector's metric and labels; None where a label may have other values than one that is written."""
    parsed = promql.parse(selector)
    if isinstance(parsed, promql.Refused):
        return None
    (found,) = promql.selectors(parsed)
    if any(matcher.op != "=" for matcher in found.matchers):
        return None
    return found.name, {matcher.label: matcher.value for matcher in found.matchers}
