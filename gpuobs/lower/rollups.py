"""Rollups to recording rules: the algebra of what may be composed from what.

- A gauge is folded to one value a GPU at every scrape interval and only then reduced over the window.
- A longer window builds on the recorded window of one evaluation interval, whose samples tile it exactly.
- Above the gpu level a mean is taken over GPUs, each with weight one; the fleet level divides sums by counts of the
  cluster level, because no Prometheus sees the GPUs of two clusters.
- A ratio of signals is divided after summing; counters become rates before any sum.
- A percentile over GPUs is taken from the gpu level and composes no further.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gpuobs import names
from gpuobs.diagnostics import Diagnostic, Span, error
from gpuobs.ir import Origin, RecordingRule
from gpuobs.lower import groups, queries, sources
from gpuobs.lower.composable import (
    NotComposable,
    label_problems,
    name_problems,
    refusal,
    refuse_long_window,
    refuse_lost_label,
    refuse_sum,
    refuse_window,
    source_problems,
)
from gpuobs.lower.levels import (
    KEEPS,
    PERCENTILES,
    Key,
    Recorded,
    declared,
    value_range,
    wanted,
)
from gpuobs.policy import Policy
from gpuobs.spec.model import Operations, Rollup, Rollups, Signal
from gpuobs.spec.scalars import Duration, duration


@dataclass(slots=True)
class Plan:
    """What is recorded so far, in the order of evaluation. Only this module adds to it."""

    policy: Policy
    document: Rollups
    declared: dict[str, Rollup]
    recorded: dict[Key, Recorded] = field(default_factory=dict)

    def need(self, key: Key, place: Span) -> Recorded:
        """The recorded series for a key, planned with all that it reads if it is not there yet."""
        if key not in self.recorded:
            signal = self.policy.signals[key.signal]
            planned = _LEVEL[key.level](self, signal, key, place)
            self.recorded[key] = planned
        return self.recorded[key]

    def operations(self, signal: str, level: str) -> Operations | None:
        rollup = self.declared.get(signal)
        return getattr(rollup.levels, level) if rollup is not None else None

    def keeps(self, signal: Signal, level: str) -> tuple[str, ...]:
        operations = self.operations(signal.name, level)
        by = operations.by if operations is not None else ()
        own = signal.by if level in ("gpu", "workload") else ()
        return tuple(dict.fromkeys((*KEEPS[level], *by, *own)))

    def name(self, key: Key) -> str:
        operations = self.operations(key.signal, key.level)
        named = operations.record if operations is not None else {}
        return named.get(key.token, names.record(key.level, key.signal, key.token))

    def record(self, key: Key, place: Span, parts: list[tuple[str, str]]) -> Recorded:
        """A recorded series from its expressions: pairs of vendor ('' for all) and text."""
        signal = self.policy.signals[key.signal]
        keeps, record = self.keeps(signal, key.level), self.name(key)
        vendors = tuple(vendor for vendor, _ in parts if vendor) or sources.vendors_of(
            self.policy, signal
        )
        rules = tuple(
            RecordingRule(
                record=record,
                signal=str(signal.name),
                level=key.level,
                expr=text,
                labels={names.VENDOR: vendor} if vendor and names.VENDOR in keeps else {},
                unit=_unit(signal, key.operation),
                range=value_range(signal, key.operation, key.level),
                keeps=keeps,
                origin=Origin(place, "Rollups", self.document.name),
            )
            for vendor, text in parts
        )
        return Recorded(key, record, keeps, rules, vendors, _samples(self.policy, key, rules))


def plan_document(policy: Policy, document: Rollups) -> tuple[Plan, list[Diagnostic]]:
    """All that one Rollups document records, in the order of evaluation."""
    plan = Plan(policy, document, {rollup.signal: rollup for rollup in document.rollups})
    problems: list[Diagnostic] = []
    for rollup in document.rollups:
        if rollup.signal not in policy.signals:
            hint = policy.signal_hint(rollup.signal)
            message = f"no signal '{rollup.signal}'"
            problems.append(error(rollup.where("signal"), "rollup/unknown-signal", message, hint))
            continue
        problems.extend(label_problems(policy.signals[rollup.signal], rollup))
        problems.extend(source_problems(policy, rollup))
        if not any(p.span == rollup.where("signal") and p.severity == "error" for p in problems):
            for level, operations in declared(rollup):
                for operation, window, place in wanted(operations):
                    try:
                        plan.need(Key(rollup.signal, level, operation, window), place)
                    except NotComposable as refusal:
                        problems.append(refusal.diagnostic)
                problems.extend(name_problems(rollup, level, operations))
    return plan, problems


# The gpu and workload levels -----------------------------------------------------------------------------------------


def _plan_gpu(plan: Plan, signal: Signal, key: Key, place: Span) -> Recorded:
    _refuse_over_gpus(key, place)
    if signal.ratio is not None:
        return _plan_ratio(plan, signal, key, place)
    if signal.kind == "counter":
        return _plan_counter(plan, signal, key, place)
    return _plan_gauge(plan, signal, key, place)


def _plan_workload(plan: Plan, signal: Signal, key: Key, place: Span) -> Recorded:
    if key.operation == "count" or key.operation in PERCENTILES:
        message = f"'{key.operation}' is not taken over the GPUs of one pod"
        raise refusal(place, message, "avg, min, max and sum are")
    if signal.ratio is not None:
        return _plan_ratio(plan, signal, key, place)
    if signal.kind == "counter":
        message = f"'{signal.name}' is a counter of the GPU, which outlives the pods that hold it"
        raise refusal(place, message, "take it at level gpu")
    return _plan_gauge(plan, signal, key, place)


def _refuse_over_gpus(key: Key, place: Span) -> None:
    if key.operation in ("sum", "count") or key.operation in PERCENTILES:
        message = f"'{key.operation}' is taken over GPUs, and level '{key.level}' has one"
        hint = f"take {key.operation} at level node or cluster"
        raise NotComposable(error(place, "rollup/level-below-source", message, hint))


def _plan_gauge(plan: Plan, signal: Signal, key: Key, place: Span) -> Recorded:
    if key.operation in ("rate", "increase"):
        message = f"'{signal.name}' is a gauge: it has no {key.operation}"
        raise refusal(place, message, f"avg: [{key.window}]", "rollup/rate-on-gauge")
    refuse_window(plan.policy, key, place, 1)
    base = _base_window(plan, key)
    step = plan.policy.fleet.scrape_interval if base is None else base.window
    refuse_long_window(plan.policy, key, place, step.seconds)
    if base is not None:
        recorded = plan.need(base, place)
        reduction = "avg" if key.operation == "sum" else key.operation
        text = queries.over_time(reduction, recorded.record, tiled(key.window))
        return plan.record(key, place, [("", text)])
    parts: list[tuple[str, str]] = []
    for vendor in sources.vendors_of(plan.policy, signal):
        source = sources.source_of(plan.policy, signal, vendor)
        assert source is not None
        parts.append((vendor, _windowed(plan.policy, source, key)))
    if key.level == "workload":
        text = parts[0][1]
        for _, more in parts[1:]:
            text = queries.binary(text, "or", more)
        return plan.record(key, place, [("", text)])
    return plan.record(key, place, parts)


def _windowed(policy: Policy, source: sources.Source, key: Key) -> str:
    """A gauge over a window: folded at every scrape interval, then reduced, then renamed."""
    step = str(policy.fleet.scrape_interval)
    if key.level == "gpu":
        text = queries.subquery(key.operation, sources.instant(source), str(key.window), step)
        pairs = source.gpu_labels
        outer = "max"
    else:
        reduction = "avg" if key.operation == "sum" else key.operation
        text = queries.subquery(reduction, sources.by_workload(source), str(key.window), step)
        pairs = source.workload_labels
        outer = key.operation
    if key.level == "gpu" and all(canonical == written for canonical, written in pairs):
        return text
    return queries.aggregate(
        outer, [canonical for canonical, _ in pairs], queries.renamed(text, pairs)
    )


def _base_window(plan: Plan, key: Key) -> Key | None:
    """The recorded window of one evaluation interval, where a longer one can be built on it."""
    interval = duration(plan.policy.fleet.evaluation_interval.seconds)
    operations = plan.operations(key.signal, key.level)
    declared = getattr(operations, key.operation) if operations is not None else ()
    tiles = key.window.seconds > interval.seconds and key.window.seconds % interval.seconds == 0
    if tiles and any(window.seconds == interval.seconds for window in declared):
        return Key(key.signal, key.level, key.operation, interval)
    return None


def tiled(window: Duration) -> str:
    """A range that holds each rule evaluation of a window once.

    Rule samples lie exactly one evaluation interval apart, and Prometheus before 3.0 includes the sample at the left
    end of a range, so the full range would hold one sample too many. One second less holds the right number in every
    version.
    """
    return str(duration(window.seconds - 1))


def _plan_counter(plan: Plan, signal: Signal, key: Key, place: Span) -> Recorded:
    if key.operation not in ("rate", "increase"):
        message = f"'{signal.name}' is a counter: its {key.operation} over time means nothing"
        hint = f"rate: [{key.window}] or increase: [{key.window}]"
        raise refusal(place, message, hint, "rollup/counter-without-rate")
    refuse_window(plan.policy, key, place, 4)
    refuse_long_window(plan.policy, key, place, plan.policy.fleet.scrape_interval.seconds)
    parts: list[tuple[str, str]] = []
    for vendor in sources.vendors_of(plan.policy, signal):
        source = sources.source_of(plan.policy, signal, vendor)
        assert source is not None
        text = sources.per_second(source, key.operation, str(key.window))
        canonical = [label for label, _ in source.gpu_labels]
        renamed = queries.renamed(text, source.gpu_labels)
        text = queries.aggregate("max", canonical, renamed) if renamed != text else text
        parts.append((vendor, text))
    return plan.record(key, place, parts)


def _plan_ratio(plan: Plan, signal: Signal, key: Key, place: Span) -> Recorded:
    ratio = signal.ratio
    assert ratio is not None
    if key.operation != "avg":
        message = (
            f"the {key.operation} of a ratio cannot be taken from its numerator and denominator"
        )
        raise refusal(place, message, f"avg: [{key.window}]")
    part, whole = (_need_part(plan, name, key, place) for name in (ratio.of, ratio.to))
    text = queries.binary(part.record, "/", whole.record)
    return plan.record(key, place, [("", text)])


def _need_part(plan: Plan, name: str, key: Key, place: Span) -> Recorded:
    operation = "sum" if key.level == "workload" else "avg"
    return plan.need(Key(name, key.level, operation, key.window), place)


# Above the gpu level -------------------------------------------------------------------------------------------------


def _plan_above(plan: Plan, signal: Signal, key: Key, place: Span) -> Recorded:
    """The node and cluster levels, each straight from the gpu level."""
    keeps = plan.keeps(signal, key.level)
    if signal.ratio is not None and key.operation == "avg":
        part, whole = (
            plan.need(Key(name, "gpu", "avg", key.window), place)
            for name in (signal.ratio.of, signal.ratio.to)
        )
        text = queries.binary(
            queries.aggregate("sum", keeps, part.record),
            "/",
            queries.aggregate("sum", keeps, whole.record),
        )
        return plan.record(key, place, [("", text)])
    refuse_sum(signal, key, place)
    below = plan.need(
        Key(key.signal, "gpu", _operation_below(signal, key, place), key.window), place
    )
    if key.operation in PERCENTILES:
        share = queries.number(int(key.operation[1:]) / 100)
        text = queries.aggregate("quantile", keeps, share, below.record)
    else:
        text = queries.aggregate(_over_gpus(key.operation), keeps, below.record)
    return plan.record(key, place, [("", text)])


def _operation_below(signal: Signal, key: Key, place: Span) -> str:
    if key.operation in ("min", "max") and signal.ratio is not None:
        message = f"the {key.operation} of a ratio over time is not known from its parts"
        raise refusal(place, message, f"p99: [{key.window}], a percentile over GPUs of their means")
    if key.operation in ("rate", "increase", "min", "max") and signal.kind == "gauge":
        return key.operation
    if signal.kind == "counter":
        return "increase" if key.operation == "increase" else "rate"
    return "avg"


def _over_gpus(operation: str) -> str:
    return "sum" if operation in ("rate", "increase") else operation


def _plan_fleet(plan: Plan, signal: Signal, key: Key, place: Span) -> Recorded:
    """From the cluster level: sums over counts, sums of sums, extremes of extremes."""
    if key.operation in PERCENTILES:
        message = f"a {key.operation} over the fleet cannot be composed from the clusters'"
        hint = f"take {key.operation} at level cluster; at level fleet avg, min, max, sum and count are exact"
        raise refusal(place, message, hint)
    keeps = plan.keeps(signal, key.level)
    refuse_lost_label(keeps, plan.keeps(signal, "cluster"), place)
    if key.operation == "avg":
        part, whole = _fleet_parts(plan, signal, key, place)
        text = queries.binary(
            queries.aggregate("sum", keeps, part.record),
            "/",
            queries.aggregate("sum", keeps, whole.record),
        )
        return plan.record(key, place, [("", text)])
    refuse_sum(signal, key, place)
    below = plan.need(Key(key.signal, "cluster", key.operation, key.window), place)
    operator = "sum" if key.operation == "count" else _over_gpus(key.operation)
    text = queries.aggregate(operator, keeps, below.record)
    return plan.record(key, place, [("", text)])


def _fleet_parts(plan: Plan, signal: Signal, key: Key, place: Span) -> tuple[Recorded, Recorded]:
    if signal.ratio is not None:
        return (
            plan.need(Key(signal.ratio.of, "cluster", "sum", key.window), place),
            plan.need(Key(signal.ratio.to, "cluster", "sum", key.window), place),
        )
    return (
        _plan_part(plan, signal, key, "sum", place),
        _plan_part(plan, signal, key, "count", place),
    )


def _plan_part(plan: Plan, signal: Signal, key: Key, operation: str, place: Span) -> Recorded:
    """A cluster's sum or count as numerator or denominator: also of ratios, which nobody else may sum."""
    part = Key(key.signal, "cluster", operation, key.window)
    if part not in plan.recorded:
        below = "rate" if signal.kind == "counter" else "avg"
        gpus = plan.need(Key(key.signal, "gpu", below, key.window), place)
        text = queries.aggregate(operation, plan.keeps(signal, "cluster"), gpus.record)
        plan.recorded[part] = plan.record(part, place, [("", text)])
    return plan.recorded[part]


_LEVEL = {
    "gpu": _plan_gpu,
    "workload": _plan_workload,
    "node": _plan_above,
    "cluster": _plan_above,
    "fleet": _plan_fleet,
}


def _unit(signal: Signal, operation: str) -> str:
    if operation == "count":
        return "gpus"
    if operation == "rate":
        return "ratio" if signal.unit == "seconds" else f"{signal.unit}/s"
    return signal.unit


def _samples(policy: Policy, key: Key, rules: tuple[RecordingRule, ...]) -> float:
    """Samples that one evaluation loads for one GPU; 0 for what takes no window of its own."""
    if "[" not in rules[0].expr:
        return 0
    version = policy.fleet.prometheus_version.number
    raw = any(name in policy.collected for name in groups.reads(rules[0].expr, version))
    step = policy.fleet.scrape_interval if raw else policy.fleet.evaluation_interval
    return key.window.seconds / step.seconds
