"""Who is told of an alert, and which alerts hold its notifications back: what follows from labels that rules give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from gpuobs import names, promql
from gpuobs.ir import AlertingRule, Program
from gpuobs.promql.analysis import analyse
from gpuobs.promql.labelset import Labels
from gpuobs.routing import Inhibition, Landing, Matcher, holds, landings
from gpuobs.world import world


def landing(program: Program, rule: AlertingRule) -> tuple[Landing, ...]:
    """Where Alertmanager sends an alert by the labels that its rule gives; nothing without a configuration."""
    if program.routing is None:
        return ()
    return landings(program.routing, given(rule))


def given(rule: AlertingRule) -> dict[str, str]:
    """The labels that every alert of a rule has, whatever its series."""
    return {**rule.labels, names.ALERTNAME: rule.alert}


def silencers(
    program: Program, rule: AlertingRule
) -> Iterator[tuple[Inhibition, list[AlertingRule]]]:
    """Each rule that may hold an alert back, with the alerts that do so while they fire."""
    for inhibition in program.routing.inhibitions if program.routing is not None else ():
        if _may_be(program, rule, inhibition.targets, inhibition.equal):
            found = list(_others(program, rule, inhibition.sources, inhibition.equal))
            if found:
                yield inhibition, found


def silenced(
    program: Program, rule: AlertingRule
) -> Iterator[tuple[Inhibition, list[AlertingRule]]]:
    """Each rule by which an alert may hold others back while it fires, with these."""
    for inhibition in program.routing.inhibitions if program.routing is not None else ():
        if _may_be(program, rule, inhibition.sources, inhibition.equal):
            found = list(_others(program, rule, inhibition.targets, inhibition.equal))
            if found:
                yield inhibition, found


def _others(
    program: Program, rule: AlertingRule, matchers: tuple[Matcher, ...], equal: tuple[str, ...]
) -> Iterator[AlertingRule]:
    return (
        other
        for other in program.alerting
        if other is not rule
        and _may_be(program, other, matchers, equal)
        and _may_agree(given(rule), given(other), equal)
    )


def _may_agree(one: Mapping[str, str], another: Mapping[str, str], equal: Iterable[str]) -> bool:
    """Whether no label that must be equal is given different values by the rules."""
    return all(one[label] == another[label] for label in equal if label in one and label in another)


def _may_be(
    program: Program, rule: AlertingRule, matchers: Iterable[Matcher], equal: Iterable[str]
) -> bool:
    """Whether matchers can take an alert of a rule, which can have every label that must be equal."""
    known, labels = given(rule), possible_labels(program, rule)
    if not all(label in known or labels.can_have(label) for label in equal):
        return False
    return all(_can_hold(matcher, known, labels) for matcher in matchers)


def _can_hold(matcher: Matcher, known: Mapping[str, str], labels: Labels) -> bool:
    if matcher.label in known:
        return holds(matcher, known[matcher.label]) is not False
    return labels.can_have(matcher.label) or holds(matcher, "") is not False


def possible_labels(program: Program, rule: AlertingRule) -> Labels:
    """The labels that an alert's series can have, and those that Prometheus adds to all it sends."""
    return _labels(program)[rule.alert]


@lru_cache(maxsize=4)
def _labels(program: Program) -> Mapping[str, Labels]:
    found = {}
    for rule in program.alerting:
        parsed = promql.parse(rule.expr, program.version)
        labels = Labels(open=True)
        if isinstance(parsed, promql.Parsed):
            labels = analyse(parsed.tree, world(program)).result.labels
        found[rule.alert] = labels.with_label(names.CLUSTER, certain=True)
    return found


# In words ------------------------------------------------------------------------------------------------------------

_MOST = 6


def story(program: Program, rule: AlertingRule) -> Iterator[tuple[str, str]]:
    """Where an alert goes, what holds it back and what it holds back: a word and what there is to say each.

    Nothing where the Tiers have no receivers.
    """
    for found in landing(program, rule):
        yield "told to", _told(found)
    for inhibition, others in silencers(program, rule):
        about = _about(inhibition)
        yield "silenced", f"while {_named(others)} fires, {about}: {inhibition.name}"
    for inhibition, others in silenced(program, rule):
        yield "silences", f"{_named(others)}, {_about(inhibition)}: {inhibition.name}"


def _told(found: Landing) -> str:
    by = ", ".join(found.group_by)
    muted = f", not at {', '.join(found.route.mute_times)}" if found.route.mute_times else ""
    return (
        f"{found.receiver}, grouped by {by}, after {found.group_wait}, again every "
        f"{found.repeat_interval}{muted}"
    )


def _about(inhibition: Inhibition) -> str:
    return f"of the same {', '.join(inhibition.equal)}" if inhibition.equal else "anywhere"


def _named(rules: list[AlertingRule]) -> str:
    shown = [rule.alert for rule in rules[:_MOST]]
    if len(rules) > _MOST:
        shown.append(f"{len(rules) - _MOST} more")
    return " or ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
