"""Unit tests that follow from a `when:` alone: just under and just over, `for`, recovery, series that end, each vendor.

All subjects of an alert stand side by side in one test case, told apart by a label that is named after what they do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gpuobs import names
from gpuobs.ir import Assertion, InputSeries, Origin, RuleTest, Sample
from gpuobs.lower import series
from gpuobs.lower.alerts import Condition, Lowered
from gpuobs.lower.composable import MAX_SAMPLES
from gpuobs.lower.inverse import Raw, raw_at
from gpuobs.lower.levels import Recorded
from gpuobs.lower.scenarios import firing
from gpuobs.policy import Policy
from gpuobs.spec.model import Signal
from gpuobs.spec.scalars import duration

# A series that ends is looked back to for five minutes by an instant query; every rollup adds an evaluation.
_LOOKBACK = 300

_TOLD_APART_BY = {
    "gpu": names.NODE,
    "node": names.NODE,
    "workload": names.POD,
    "cluster": names.CLUSTER,
}


@dataclass(frozen=True, slots=True)
class Subject:
    """One GPU, node, pod or cluster of a test. It meets the condition until `until`, then does what `after` says."""

    name: str
    vendor: str
    meets: bool = True
    until: float | None = None
    after: str = "healthy"
    model: str = ""
    threshold: float = 0.0


@dataclass(frozen=True, slots=True)
class Times:
    """The moments of a test, in seconds from its start."""

    step: float
    settled: float  # windows are full
    for_: float
    turn: float  # some subjects change
    keep: float
    end: float


def derived_cases(policy: Policy, recorded: Iterable[Recorded], lowered: Lowered) -> list[RuleTest]:
    """The test cases of an alert on a signal; none where its source cannot be turned round.

    `recorded` is all that is recorded: promtool evaluates it beside the alert.
    """
    condition = lowered.condition
    if condition is None or condition.recorded.key.operation == "count":
        return []
    if policy.signals[condition.recorded.key.signal].unit == "gpus":
        return []  # one GPU more or less is a series more or less, not another value
    times = _times(policy, lowered, condition)
    subjects = [s for s in _subjects(policy, condition, times) if _raw(policy, condition, s, True)]
    if not subjects:
        return []
    samples = _samples(recorded, policy.signals[condition.recorded.key.signal])
    if _apart(condition) is None or samples * len(subjects) > MAX_SAMPLES:
        return [
            _case(policy, lowered, times, (subject,), f"{lowered.alert.name}: {subject.name}")
            for subject in subjects
        ]
    return [_case(policy, lowered, times, tuple(subjects), f"{lowered.alert.name}: boundaries")]


def _apart(condition: Condition) -> str | None:
    """The label that tells the subjects of a case apart; None where each needs a case of its own."""
    label = _TOLD_APART_BY.get(condition.recorded.key.level)
    return None if label in condition.matched else label


def _samples(recorded: Iterable[Recorded], signal: Signal) -> float:
    """Samples of one subject that one evaluation loads, at most: of any rule on the signal or its parts."""
    parts = {str(signal.name)}
    if signal.ratio is not None:
        parts |= {str(signal.ratio.of), str(signal.ratio.to)}
    return max((series.samples for series in recorded if series.key.signal in parts), default=0)


def _times(policy: Policy, lowered: Lowered, condition: Condition) -> Times:
    step = policy.fleet.evaluation_interval.seconds
    window = condition.recorded.key.window.seconds
    for_ = _ticks(lowered.alert.for_.seconds, step)
    keep = _ticks(lowered.alert.keep_firing_for.seconds, step)
    settled = 0.0 if condition.recorded.key.operation in ("avg", "min", "max", "sum") else window
    if policy.signals[condition.recorded.key.signal].kind == "counter":
        settled = window
    settled = _ticks(settled, step) + 2 * step
    turn = settled + for_ + 2 * step
    end = turn + _ticks(window, step) + keep + _LOOKBACK + 4 * step
    return Times(step, settled, for_, turn, keep, end)


def _ticks(seconds: float, step: float) -> float:
    """Rounded up to whole evaluations."""
    return -(-seconds // step) * step


def _subjects(policy: Policy, condition: Condition, times: Times) -> Iterator[Subject]:
    matched = condition.matched.get(names.VENDOR, condition.recorded.vendors)
    vendors = [vendor for vendor in condition.recorded.vendors if vendor in matched]
    if not vendors:
        return
    first, *others = vendors
    default = condition.threshold
    yield Subject("just-over", first, threshold=default)
    yield Subject("just-under", first, meets=False, threshold=default)
    yield Subject("recovers", first, until=times.turn, threshold=default)
    yield Subject("vanishes", first, until=times.turn, after="gone", threshold=default)
    for vendor in others:
        yield Subject(f"just-over-{vendor}", vendor, threshold=default)
        yield Subject(f"just-under-{vendor}", vendor, meets=False, threshold=default)
    for model, threshold in sorted(condition.by_model.items()):
        vendor = policy.models[model].vendor
        slug = model.lower()
        yield Subject(f"just-over-{slug}", vendor, model=model, threshold=threshold)
        yield Subject(f"just-under-{slug}", vendor, meets=False, model=model, threshold=threshold)


def _case(
    policy: Policy, lowered: Lowered, times: Times, subjects: tuple[Subject, ...], name: str
) -> RuleTest:
    assert lowered.condition is not None
    inputs = [
        entry
        for subject in subjects
        for entry in _inputs(policy, lowered.condition, subject, times)
    ]
    return RuleTest(
        name=name,
        interval=str(duration(_interval(policy, lowered.condition))),
        series=tuple(sorted(inputs, key=lambda entry: entry.series)),
        assertions=tuple(_assertions(lowered, times, subjects)),
        origin=Origin(lowered.alert.where("when"), "Alerts", f"{lowered.alert.name}"),
    )


def _interval(policy: Policy, condition: Condition) -> float:
    """Time between samples: an evaluation interval, or a scrape where a counter's window needs more of them."""
    step = policy.fleet.evaluation_interval.seconds
    counter = policy.signals[condition.recorded.key.signal].kind == "counter"
    if counter and condition.recorded.key.window.seconds < 4 * step:
        return policy.fleet.scrape_interval.seconds
    return step


def _assertions(
    lowered: Lowered, times: Times, subjects: tuple[Subject, ...]
) -> Iterator[Assertion]:
    meeting = [s.name for s in subjects if s.meets]
    staying = [s.name for s in subjects if s.meets and s.until is None]
    waiting, alert = lowered.alert.for_, lowered.alert.name
    if times.for_ > 0:
        yield _assertion(
            lowered, times.for_ - times.step, [], f"quiet before 'for: {waiting}' is over"
        )
    claim = f"{alert} fires after 'for: {waiting}', just over the threshold and not just under it"
    yield _assertion(lowered, times.settled + times.for_, meeting, claim)
    if times.keep > 0:
        claim = f"{alert} goes on firing within 'keepFiringFor: {lowered.alert.keep_firing_for}'"
        yield _assertion(lowered, times.turn + times.keep - times.step, meeting, claim)
    claim = f"{alert} ends after recovery and where the series end"
    yield _assertion(lowered, times.end, staying, claim)


def _assertion(lowered: Lowered, seconds: float, subjects: list[str], claim: str) -> Assertion:
    assert lowered.condition is not None
    label = _apart(lowered.condition)
    samples = tuple(
        Sample(labels=series.text("", {label: name}) if label else "{}", value=1)
        for name in sorted(subjects)
    )
    return Assertion(
        expr=firing(lowered.alert.name, (label,) if label else ()),
        at=str(duration(seconds)),
        samples=samples,
        claim=claim,
        origin=Origin(lowered.alert.where("when"), "Alerts", str(lowered.alert.name)),
    )


def _raw(policy: Policy, condition: Condition, subject: Subject, meets: bool) -> tuple[Raw, ...]:
    signal = policy.signals[condition.recorded.key.signal]
    side = 1 if (condition.operator == ">") == meets else -1
    threshold = subject.threshold
    if condition.recorded.key.operation == "increase":
        threshold /= condition.recorded.key.window.seconds
    return raw_at(policy, signal, subject.vendor, threshold, side)


def _inputs(
    policy: Policy, condition: Condition, subject: Subject, times: Times
) -> Iterator[InputSeries]:
    interval = _interval(policy, condition)
    before = round((times.turn if subject.until is not None else times.end) / interval)
    rest = round(times.end / interval) - before
    healthy = {raw.collected.name: raw for raw in _raw(policy, condition, subject, False)}
    for raw in _raw(policy, condition, subject, subject.meets):
        counter = policy.signals[condition.recorded.key.signal].kind == "counter"
        slope, later = raw.value * interval, healthy[raw.collected.name].value
        values = _counter(slope, before) if counter else _flat(raw.value, before)
        if subject.until is not None:
            if subject.after == "gone":
                values += " stale"
            elif counter:
                values += " " + _counter(later * interval, rest, 1000 + slope * (before - 1))
            else:
                values += " " + _flat(later, rest)
        labels = _labels(policy, condition, subject, raw)
        yield InputSeries(series=series.text(raw.collected.name, labels), values=values)


def _flat(value: float, count: int) -> str:
    return f"{_plain(value)}x{max(count - 1, 1)}"


def _counter(slope: float, count: int, start: float = 1000) -> str:
    return f"{_plain(start)}+{_plain(slope)}x{max(count - 1, 1)}"


def _plain(value: float) -> str:
    """A number without an exponent, as promtool's notation wants it."""
    from decimal import Decimal

    return str(int(value)) if value == int(value) else format(Decimal(repr(value)), "f")


def _labels(policy: Policy, condition: Condition, subject: Subject, raw: Raw) -> dict[str, str]:
    exporter, level = raw.collected.exporter, condition.recorded.key.level
    given = dict(raw.labels)
    label = _TOLD_APART_BY.get(level)
    for canonical in {names.NODE, label} - {None} if level != "cluster" else {label}:
        written = exporter.label(str(canonical))
        if written:
            given[written] = subject.name
    if level == "workload":
        given[exporter.label(names.NAMESPACE) or names.NAMESPACE] = "default"
    model = exporter.label(names.MODEL)
    if model and subject.model:
        given[model] = policy.models[subject.model].model_label
    elif model and condition.by_model:
        given[model] = _default_model(policy, condition, subject)
    for dimension in policy.signals[condition.recorded.key.signal].by:
        given.setdefault(dimension, "1")
    for canonical, values in condition.matched.items():
        if canonical != names.VENDOR:
            given[exporter.label(canonical) or canonical] = values[0]
    return series.completed(policy, raw.collected, given)


def _default_model(policy: Policy, condition: Condition, subject: Subject) -> str:
    """The label of a GPU model that has no threshold of its own."""
    for _, _, model in policy.pools:
        if model.vendor == subject.vendor and model.name not in condition.by_model:
            return model.model_label or model.name
    return "another model"
