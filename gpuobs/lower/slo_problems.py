"""Mistakes in objectives: what cannot be kept, cannot be broken, or cannot be counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuobs import promql
from gpuobs.diagnostics import Diagnostic, Related, error
from gpuobs.lower.levels import Key, Recorded
from gpuobs.nearest import did_you_mean
from gpuobs.policy import Policy
from gpuobs.promql.nodes import Select
from gpuobs.spec import expression
from gpuobs.spec.model import Slo, Slos
from gpuobs.spec.node import Node
from gpuobs.spec.scalars import Duration

_WAYS = ("good", "sampled", "events", "latency")


def problems(
    policy: Policy, recorded: Mapping[Key, Recorded], document: Slos
) -> Iterator[Diagnostic]:
    """What is wrong with the objectives of a document."""
    yield from _names(policy, document)
    for slo in document.slos:
        wrong = list(_kept(slo))
        wrong += _way(slo)
        yield from wrong
        if wrong:
            continue
        yield from _counted(policy, recorded, slo)
        yield from _alarms(policy, document, slo)


def _names(policy: Policy, document: Slos) -> Iterator[Diagnostic]:
    """Names that are there twice: the label `slo` tells objectives apart, and alerts are named after them."""
    from gpuobs.lower.slos import alarms, alert_name

    first: dict[str, Slo] = {}
    for other in policy.slos:
        for slo in other.slos:
            if first.setdefault(slo.name, slo) is not slo and other is document:
                related = (Related(first[slo.name].where("name"), "the first one"),)
                message = f"there are two objectives '{slo.name}'"
                hint = "give one of them another name"
                yield error(slo.where("name"), "spec/duplicate-name", message, hint, related)
    written = {str(alert.name): alert for _, alert in policy.all_alerts()}
    for slo in document.slos:
        for alarm in alarms(slo):
            name = alert_name(slo, alarm.burning)
            if name in written:
                related = (Related(written[name].where("name"), "the other one"),)
                message = f"alert '{name}' of this objective is written by hand too"
                hint = "give one of them another name"
                yield error(slo.where("name"), "alert/duplicate", message, hint, related)


def _kept(slo: Slo) -> Iterator[Diagnostic]:
    if not 0 < slo.objective < 1:
        message = f"an objective of {slo.objective:g} can never be {'missed' if slo.objective <= 0 else 'kept'}"
        hint = "a share between 0 and 1, such as 0.995"
        yield error(slo.where("objective"), "slo/bad-objective", message, hint)


def _way(slo: Slo) -> Iterator[Diagnostic]:
    """Exactly one way to tell good from bad."""
    ways = [way for way in _WAYS if getattr(slo, way) is not None]
    if len(ways) != 1:
        has = (
            f"{' and '.join(repr(way) for way in ways)} at once" if ways else "nothing that counts"
        )
        hint = "keep one of them" if ways else f"add one of {', '.join(_WAYS)}"
        yield error(slo.where("name"), "slo/no-condition", f"'{slo.name}' has {has}", hint)
    elif slo.events is not None and (slo.events.error is None) == (slo.events.good is None):
        message = f"the events of '{slo.name}' need 'error' or 'good', one of them"
        hint = "give the selector of those that went wrong, or of those that went well"
        yield error(slo.where("events"), "slo/no-condition", message, hint)


def _counted(policy: Policy, recorded: Mapping[Key, Recorded], slo: Slo) -> Iterator[Diagnostic]:
    """What cannot be read, or is not recorded."""
    if slo.good is not None:
        yield from _signal(policy, recorded, slo)
    if slo.sampled is not None:
        for key in ("good", "total"):
            found = _parsed(policy, slo.written.get("sampled", key))
            if isinstance(found, Diagnostic):
                yield found
    if slo.events is not None:
        for key in ("total", "error", "good"):
            node = slo.written.get("events", key)
            if node is not None:
                yield from _selector(policy, node)
    if slo.latency is not None:
        for part in ("_bucket", "_count"):
            name = f"{slo.latency.histogram}{part}"
            if name not in policy.collected:
                hint = did_you_mean(str(slo.latency.histogram), _histograms(policy))
                message = f"no histogram '{slo.latency.histogram}' is collected on this fleet"
                yield error(
                    slo.where("latency", "histogram"), "promql/unknown-metric", message, hint
                )
                return


def _histograms(policy: Policy) -> set[str]:
    return {name.removesuffix("_bucket") for name in policy.collected if name.endswith("_bucket")}


def _signal(policy: Policy, recorded: Mapping[Key, Recorded], slo: Slo) -> Iterator[Diagnostic]:
    assert slo.good is not None
    signal = policy.signals.get(slo.good.signal)
    place = slo.where("good", "signal")
    if signal is None:
        message, hint = f"no signal '{slo.good.signal}'", policy.signal_hint(slo.good.signal)
        yield error(place, "rollup/unknown-signal", message, hint)
    elif signal.range != (0, 1):
        message = f"'{signal.name}' is not between 0 and 1, so that it does not say what is good"
        hint = "take a signal with 'range: [0, 1]', or count with 'sampled'"
        yield error(place, "slo/no-share", message, hint)
    elif Key(slo.good.signal, "gpu", "avg", Duration("1m")) not in recorded:
        message = f"'{signal.name}' is not recorded at the GPU level as 'avg: [1m]'"
        hint = f"add 'gpu: {{avg: [1m]}}' to its rollup, or a rollup of '{signal.name}'"
        yield error(place, "alert/not-recorded", message, hint)


def _parsed(policy: Policy, node: Node | None) -> promql.Parsed | Diagnostic:
    assert node is not None
    return expression.parse(node, policy.fleet.prometheus_version.number)


def _selector(policy: Policy, node: Node) -> Iterator[Diagnostic]:
    found = _parsed(policy, node)
    if isinstance(found, Diagnostic):
        yield found
    elif not isinstance(found.tree, Select) or found.tree.window is not None:
        message = "events are counted by the selector of their counters, and nothing around it"
        hint = "such as 'http_requests_total{code=~\"5..\"}'; gpuobs adds rate() and sum()"
        yield error(node.span, "slo/no-selector", message, hint)


def _alarms(policy: Policy, document: Slos, slo: Slo) -> Iterator[Diagnostic]:
    from gpuobs.lower.slos import alarms

    storage = policy.fleet.storage
    if storage is not None and slo.window.seconds > storage.warm.seconds:
        message = f"{slo.window} is longer than Prometheus keeps samples, {storage.warm}"
        hint = f"take 'window: {storage.warm}' at most, or keep more with 'warm' of the fleet's storage"
        yield error(slo.where("window"), "slo/window", message, hint)
    tiers = {str(name): tier for name, tier in policy.tiers.tiers.items()}
    owner = slo.owner or str(document.owner)
    receivers = {str(name): told for name, told in policy.tiers.owners.items()}
    if owner not in receivers:
        place = slo.where("owner") if slo.owner else document.where("owner")
        yield error(place, "alert/no-owner", f"no owner '{owner}'", did_you_mean(owner, receivers))
        return
    for alarm in alarms(slo):
        place = slo.where("burn", alarm.burning) if slo.burn else slo.where("name")
        if alarm.tier not in tiers:
            hint = did_you_mean(alarm.tier, tiers)
            yield error(place, "alert/unknown-tier", f"no tier '{alarm.tier}'", hint)
        elif alarm.tier not in {str(tier) for tier in receivers[owner]}:
            message = f"owner '{owner}' has no receiver for tier '{alarm.tier}'"
            hint = f"write 'burn: {{{alarm.burning}: {{tier: <tier>}}}}', or 'off: true'"
            yield error(place, "alert/no-receiver", message, hint)
        if (
            not 0 < alarm.share <= 1
            or not alarm.short.seconds < alarm.long.seconds <= slo.window.seconds
        ):
            message = f"'{alarm.burning}' needs a share up to 1 and windows with {alarm.short} < {alarm.long} <= {slo.window}"
            hint = "see docs/slos.md for what they mean"
            yield error(place, "slo/window", message, hint)
        elif alarm.factor * (1 - slo.objective) >= 1:
            most = 1 / (1 - slo.objective)
            message = (
                f"'{alarm.burning}' can never fire: {alarm.factor:g} times too fast is more errors than there is of all, "
                f"the most is {most:.4g} times"
            )
            hint = f"switch it off with 'burn: {{{alarm.burning}: {{off: true}}}}', or take a longer 'window' there"
            yield error(place, "slo/unreachable", message, hint)
