"""What becomes of an alert in Alertmanager: the routes that it takes, and what silences it.

The rules are those of Alertmanager's dispatch/route.go and inhibit/inhibit.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from gpuobs.routing.matching import take
from gpuobs.routing.model import Configuration, Inhibition, Matcher, Route

# What a root route has that says nothing: dispatch/route.go, DefaultRouteOpts.
_WAIT, _INTERVAL, _REPEAT = "30s", "5m", "4h"


class Undecided(Exception):
    """It hangs on a pattern beyond what we read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """Where an alert ends: a route with what it inherits in force."""

    route: Route
    receiver: str
    group_by: tuple[str, ...] = ()
    group_wait: str = _WAIT
    group_interval: str = _INTERVAL
    repeat_interval: str = _REPEAT


def landings(configuration: Configuration, labels: Mapping[str, str]) -> tuple[Landing, ...]:
    """The routes that an alert takes, in order, at least one. Undecided is raised where nobody can say."""
    root = configuration.route
    start = _below(Landing(route=root, receiver=root.receiver or ""), root)
    return tuple(_taken(start, labels))


def receivers(configuration: Configuration, labels: Mapping[str, str]) -> tuple[str, ...]:
    """Who is told of an alert, each once."""
    return tuple(dict.fromkeys(each.receiver for each in landings(configuration, labels)))


def silenced(
    configuration: Configuration, labels: Mapping[str, str], firing: Iterable[Mapping[str, str]]
) -> tuple[Inhibition, Mapping[str, str]] | None:
    """The first rule that holds an alert's notifications back, and the firing alert that does so by it."""
    sources = list(firing)
    for rule in configuration.inhibitions:
        for source in sources:
            if silences(rule, source, labels):
                return rule, source
    return None


def silences(rule: Inhibition, source: Mapping[str, str], target: Mapping[str, str]) -> bool:
    """Whether one firing alert silences another by a rule.

    A target that is a source too is not silenced by sources that are targets too, so that none silences itself.
    """
    if not _takes(rule.targets, target) or not _takes(rule.sources, source):
        return False
    if any(source.get(label, "") != target.get(label, "") for label in rule.equal):
        return False
    return not (_takes(rule.sources, target) and _takes(rule.targets, source))


def _takes(matchers: Iterable[Matcher], labels: Mapping[str, str]) -> bool:
    found = take(matchers, labels)
    if found is None:
        raise Undecided
    return found


def _taken(at: Landing, labels: Mapping[str, str]) -> list[Landing]:
    """The routes from one on that has taken the alert: those of its children, else itself."""
    found: list[Landing] = []
    for child in at.route.routes:
        if _takes(child.matchers, labels):
            found += _taken(_below(at, child), labels)
            if not child.continues:
                break
    return found or [at]


def _below(parent: Landing, route: Route) -> Landing:
    """A route with what it does not say itself from its parent."""
    return replace(
        parent,
        route=route,
        receiver=route.receiver or parent.receiver,
        group_by=parent.group_by if route.group_by is None else route.group_by,
        group_wait=route.group_wait or parent.group_wait,
        group_interval=route.group_interval or parent.group_interval,
        repeat_interval=route.repeat_interval or parent.repeat_interval,
    )
