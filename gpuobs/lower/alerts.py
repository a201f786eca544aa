"""Alerts to alerting rules: the condition from `when:` or `expr:`, thresholds by GPU model, labels and annotations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuobs import catalog, names
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import AlertingRule, Guide, Origin, RecordingRule
from gpuobs.lower import queries
from gpuobs.lower.levels import Key, Recorded, value_range
from gpuobs.nearest import did_you_mean
from gpuobs.policy import Policy
from gpuobs.spec.model import Alert, Alerts, Runbook, Signal, When
from gpuobs.spec.scalars import duration


@dataclass(frozen=True, slots=True)
class Condition:
    """What a `when:` compares: a recorded series, an operator, a threshold, and others by GPU model."""

    recorded: Recorded
    matched: Mapping[str, tuple[str, ...]]  # label to the values that it may have
    operator: str
    threshold: float
    by_model: Mapping[str, float]  # GPU models of the fleet

    @property
    def selector(self) -> str:
        matchers = [queries.matcher(label, values) for label, values in self.matched.items()]
        return queries.selector(self.recorded.record, matchers)


@dataclass(frozen=True, slots=True)
class Lowered:
    """An alert with its rules: constants that hold thresholds by model, then the alerting rule."""

    document: Alerts
    alert: Alert
    condition: Condition | None
    thresholds: tuple[RecordingRule, ...]
    rule: AlertingRule


def lower_alert(
    policy: Policy, recorded: Mapping[Key, Recorded], document: Alerts, alert: Alert
) -> tuple[Lowered | None, list[Diagnostic]]:
    """One alert as rules; None where its condition is undefined."""
    if alert.when is None:
        assert alert.expr is not None
        rule = _rule(policy, document, alert, alert.expr.strip())
        return Lowered(document, alert, None, (), rule), []
    condition, problems = _condition(policy, recorded, alert.when)
    if condition is None:
        return None, problems
    thresholds = _thresholds(policy, alert, condition)
    rule = _rule(policy, document, alert, _expression(alert, condition))
    return Lowered(document, alert, condition, thresholds, rule), problems


def _condition(
    policy: Policy, recorded: Mapping[Key, Recorded], when: When
) -> tuple[Condition | None, list[Diagnostic]]:
    signal = policy.signals.get(when.signal)
    if signal is None:
        hint = policy.signal_hint(when.signal)
        message = f"no signal '{when.signal}'"
        return None, [error(when.where("signal"), "rollup/unknown-signal", message, hint)]
    key = Key(when.signal, when.level, when.reduce, duration(when.window.seconds))
    series = recorded.get(key)
    problems: list[Diagnostic] = []
    if series is None:
        problems.append(_not_recorded(recorded, when, key))
    threshold, by_model = _threshold(policy, when, problems)
    if by_model and series is not None and names.MODEL not in series.keeps:
        side = "above" if when.above is not None else "below"
        message = f"'{series.record}' has no label 'model' to tell GPU models apart"
        hint = "take level gpu or node, keep it with 'by: [model]', or give one number"
        problems.append(error(when.where(side), "promql/unknown-label", message, hint))
    matched = _matched(signal, when, series, problems)
    problems.extend(_impossible_matches(policy, when))
    if threshold is not None:
        for path, value in _values(when, threshold, by_model):
            problems.extend(_impossible(signal, when, path, value))
    if series is None or threshold is None or problems:
        return None, problems
    operator = ">" if when.above is not None else "<"
    return Condition(series, matched, operator, threshold, by_model), []


def _not_recorded(recorded: Mapping[Key, Recorded], when: When, key: Key) -> Diagnostic:
    same = [k for k in recorded if (k.signal, k.level) == (key.signal, key.level)]
    message = f"no rollup records {key.operation} over {key.window} of '{key.signal}' at level {key.level}"
    hint = f"add '{key.level}: {{{key.operation}: [{key.window}]}}' to the rollup of '{key.signal}'"
    if same:
        hint += "; recorded are " + ", ".join(sorted(k.token for k in same))
    return error(when.where("signal"), "alert/not-recorded", message, hint)


def _threshold(
    policy: Policy, when: When, problems: list[Diagnostic]
) -> tuple[float | None, Mapping[str, float]]:
    """The default threshold and those of the fleet's GPU models."""
    if (when.above is None) == (when.below is None):
        has = "neither 'above' nor 'below'" if when.above is None else "both 'above' and 'below'"
        message = f"this condition has {has}"
        hint = "add one of them" if when.above is None else "keep one of them"
        problems.append(error(when.where(), "alert/no-condition", message, hint))
        return None, {}
    side = "above" if when.above is not None else "below"
    written = when.above if when.above is not None else when.below
    if not isinstance(written, Mapping):
        assert written is not None
        return written, {}
    values = dict(written)
    default = values.pop("default", None)
    if default is None:
        message = f"'{side}' has no 'default' for GPU models that it does not name"
        problems.append(
            error(when.where(side), "alert/no-default", message, "add 'default: <number>'")
        )
    in_fleet = {model.name for _, _, model in policy.pools}
    labels: dict[str, str] = {}
    for name in values:
        label = policy.models[name].model_label if name in policy.models else ""
        if label and labels.setdefault(label, name) != name:
            message = f"'{name}' and '{labels[label]}' have one model label, '{label}'"
            hint = "series of the two cannot be told apart: keep one threshold for both"
            problems.append(
                error(when.written.at_key(side, name), "alert/model-label", message, hint)
            )
        if name not in policy.models:
            hint = did_you_mean(name, {"default", *policy.models})
            message = f"no GPU model '{name}'"
            problems.append(
                error(when.written.at_key(side, name), "fleet/unknown-model", message, hint)
            )
        elif not policy.models[name].model_label:
            message = f"the model label that exporters write for a {name} is not confirmed"
            hint = "set 'modelLabel' of the model in a GpuModels document of your own"
            problems.append(
                error(when.written.at_key(side, name), "alert/model-label", message, hint)
            )
    return default, {name: value for name, value in values.items() if name in in_fleet}


def _values(
    when: When, threshold: float, by_model: Mapping[str, float]
) -> list[tuple[tuple[str, ...], float]]:
    side = "above" if when.above is not None else "below"
    if not isinstance(getattr(when, side), Mapping):
        return [((side,), threshold)]
    return [((side, "default"), threshold), *(((side, m), v) for m, v in by_model.items())]


def _matched(
    signal: Signal, when: When, series: Recorded | None, problems: list[Diagnostic]
) -> dict[str, tuple[str, ...]]:
    """Label to the values that it may have."""
    matched = {str(label): values for label, values in when.match.items()}
    if series is not None:
        for label in matched:
            if label not in series.keeps:
                message = f"'{series.record}' has no label '{label}'"
                hint = did_you_mean(label, series.keeps)
                problems.append(
                    error(
                        when.written.at_key("match", label), "promql/unknown-label", message, hint
                    )
                )
    if when.xid_class:
        if "xid" not in signal.by or (series is not None and "xid" not in series.keeps):
            message = f"'{when.signal}' at level {when.level} does not tell XIDs apart"
            hint = "take a signal by 'xid' at level gpu, such as xid_events"
            problems.append(error(when.where("xidClass"), "promql/unknown-label", message, hint))
        classes = set(when.xid_class)
        matched["xid"] = tuple(
            str(number) for number, xid in sorted(catalog.xids().items()) if xid.class_ in classes
        )
    return matched


def _impossible_matches(policy: Policy, when: When) -> Iterator[Diagnostic]:
    """Values of `match` that this fleet does not have."""
    have = {
        names.CLUSTER: {str(cluster.name) for cluster, _, _ in policy.pools},
        names.POOL: {str(pool.name) for _, pool, _ in policy.pools},
        names.VENDOR: set(policy.vendors),
    }
    for label in when.match:
        for index, value in enumerate(when.match[label]):
            if label in have and value not in have[str(label)]:
                message = f"this fleet has no {label} '{value}'"
                hint = did_you_mean(value, have[str(label)])
                span = when.where("match", label, index)
                yield error(span, "promql/impossible-matcher", message, hint)


def _impossible(
    signal: Signal, when: When, path: tuple[str, ...], value: float
) -> list[Diagnostic]:
    """A threshold that the signal's range cannot cross."""
    low, high = value_range(signal, when.reduce, when.level) or (None, None)
    place = when.written.at(*path)
    above = path[0] == "above"
    never = (high is not None and value >= high) if above else (low is not None and value <= low)
    always = (low is not None and value < low) if above else (high is not None and value > high)
    if not never and not always:
        return []
    span = f"{_bound(low)} to {_bound(high)}"
    unit = signal.unit or "its unit"
    message = (
        f"'{when.signal}' ({unit}) goes from {span}: it is {'never' if never else 'always'} "
        f"{'above' if above else 'below'} {queries.number(value)}"
    )
    hint = ""
    if signal.unit == "ratio" and 1 <= value <= 100:
        hint = f"ratios go from 0 to 1; for {queries.number(value)} % write {queries.number(value / 100)}"
    return [error(place, "promql/never-true" if never else "promql/always-true", message, hint)]


def _bound(value: float | None) -> str:
    return "no limit" if value is None else queries.number(value)


def _expression(alert: Alert, condition: Condition) -> str:
    selector, operator = condition.selector, condition.operator
    default = queries.number(condition.threshold)
    if not condition.by_model:
        return f"{selector} {operator} {default}"
    constants = names.threshold_record(condition.recorded.key.level, alert.name)
    known = f"{selector} {operator} on ({names.MODEL}) group_left () {constants}"
    others = f"({selector} unless on ({names.MODEL}) {constants}) {operator} {default}"
    return f"{known}\nor\n{others}"


def _thresholds(policy: Policy, alert: Alert, condition: Condition) -> tuple[RecordingRule, ...]:
    """One constant a GPU model; a model that is not named here takes the default."""
    origin = Origin(alert.span, "Alerts", alert.name)
    return tuple(
        RecordingRule(
            record=names.threshold_record(condition.recorded.key.level, alert.name),
            expr=queries.call("vector", queries.number(value)),
            labels={names.MODEL: policy.models[model].model_label},
            unit=policy.signals[condition.recorded.key.signal].unit,
            keeps=(names.MODEL,),
            origin=origin,
        )
        for model, value in sorted(condition.by_model.items())
    )


def _rule(policy: Policy, document: Alerts, alert: Alert, expression: str) -> AlertingRule:
    tier = policy.tiers.tiers[alert.tier]
    labels: dict[str, str] = {
        **{str(label): value for label, value in policy.fleet.labels.items()},
        **{str(label): value for label, value in alert.labels.items()},
        names.SEVERITY: tier.severity,
        names.TIER: str(alert.tier),
        names.OWNER: str(alert.owner or document.owner),
    }
    return AlertingRule(
        alert=str(alert.name),
        expr=expression,
        for_=_given(alert.for_.seconds),
        keep_firing_for=_given(alert.keep_firing_for.seconds),
        labels={key: labels[key] for key in sorted(labels)},
        annotations=_annotations(policy, alert),
        guide=_guide(alert),
        origin=Origin(alert.where("name"), "Alerts", str(alert.name)),
        written=alert.written,
    )


def _given(seconds: float) -> str:
    return str(duration(seconds)) if seconds else ""


# Unit of a signal to how its values are written for people.
_VALUES = {
    "ratio": "{{ $value | humanizePercentage }}",
    "seconds": "{{ $value | humanizeDuration }}",
    "bytes": "{{ $value | humanize1024 }}B",
    "celsius": "{{ $value | humanize }} °C",
    "watts": "{{ $value | humanize }} W",
}


def _value(policy: Policy, alert: Alert) -> str:
    """The value at the end of a notification's line, in the unit that it is known to have."""
    if alert.when is None:
        return "{{ $value | humanize }}"
    unit: str = policy.signals[alert.when.signal].unit
    if alert.when.reduce == "rate":
        unit = "ratio" if unit == "seconds" else f"{unit}/s"
    return _VALUES.get(unit, f"{{{{ $value | humanize }}}} {unit}")


def _annotations(policy: Policy, alert: Alert) -> dict[str, str]:
    url = (alert.runbook.url if alert.runbook else "") or policy.fleet.runbook_url
    written = {
        names.SUMMARY: alert.summary.strip(),
        names.DESCRIPTION: alert.description.strip(),
        names.VALUE: _value(policy, alert),
        names.RUNBOOK: _runbook_text(alert.runbook) if alert.runbook else "",
        names.RUNBOOK_URL: url.replace("{alert}", alert.name),
    }
    return {name: text for name, text in written.items() if text}


def _guide(alert: Alert) -> Guide:
    incidents = tuple(scenario.name for scenario in alert.scenarios)
    if alert.runbook is None:
        return Guide(incidents=incidents)
    return Guide(
        impact=alert.runbook.impact.strip(),
        diagnose=tuple(step.strip() for step in alert.runbook.diagnose),
        fix=tuple(step.strip() for step in alert.runbook.fix),
        incidents=incidents,
    )


def _runbook_text(runbook: Runbook) -> str:
    lines = [f"Impact: {runbook.impact.strip()}"]
    for title, steps in (("Diagnose", runbook.diagnose), ("Fix", runbook.fix)):
        lines.append(f"{title}:")
        lines.extend(f"{number}. {step.strip()}" for number, step in enumerate(steps, 1))
    return "\n".join(lines)
