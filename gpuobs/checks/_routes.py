"""What is proved of routes: which matchers take whatever others take, and which never go together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gpuobs.ir import Program
from gpuobs.routing import Configuration, Matcher, Receiver, Route, holds

# Severities and tiers that wake somebody, as they are called in public rules.
PAGING = frozenset({"page", "critical", "emergency", "fatal", "p1"})
_PAGERS = frozenset({"pagerduty", "opsgenie", "victorops"})
_NOBODY = frozenset({"null", "none", "blackhole", "devnull", "noop", "sink"})
_ALTERNATIVES = re.compile(r"[A-Za-z0-9_:/ @,#%&-]*(?:\|[A-Za-z0-9_:/ @,#%&-]*)*")


def configurations(program: Program) -> Iterator[Configuration]:
    """The project's own, and those of others."""
    if program.routing is not None:
        yield program.routing
    yield from program.routings


def levels(
    route: Route, above: tuple[Matcher, ...] = ()
) -> Iterator[tuple[Route, int, tuple[Matcher, ...]]]:
    """Every route that has children, with each child's index and the matchers that alerts have passed above it."""
    passed = (*above, *route.matchers)
    for index, child in enumerate(route.routes):
        yield route, index, passed
        yield from levels(child, passed)


def finite(matcher: Matcher) -> tuple[str, ...] | None:
    """The only values that a matcher takes; None where they are not known, or are without end."""
    if matcher.operator == "=":
        return (matcher.value,)
    if matcher.operator != "=~":
        return None
    inside = re.sub(r"^\^?\(?(?:\?:)?|\)?\$?$", "", matcher.value)
    return tuple(inside.split("|")) if _ALTERNATIVES.fullmatch(inside) else None


def is_always_true(matcher: Matcher) -> bool:
    """Whether a matcher takes every value, and a label that is not there."""
    if matcher.operator != "=~":
        return False
    inside = matcher.value.strip("^$").removeprefix("(").removesuffix(")")
    return any(part in (".*", ".*?", "(.*)") for part in inside.split("|"))


def implied(matcher: Matcher, given: Iterable[Matcher]) -> bool:
    """Whether whatever meets some matchers meets this one too."""
    if is_always_true(matcher):
        return True
    return any(_covers(matcher, each) for each in given if each.label == matcher.label)


def _covers(matcher: Matcher, given: Matcher) -> bool:
    if (matcher.operator, matcher.value) == (given.operator, given.value):
        return True
    values = finite(given)
    return values is not None and all(holds(matcher, value) is True for value in values)


def excluded(matcher: Matcher, given: Iterable[Matcher]) -> Matcher | None:
    """The matcher whose values this one takes none of."""
    for each in given:
        values = finite(each) if each.label == matcher.label else None
        if values is not None and all(holds(matcher, value) is False for value in values):
            return each
    return None


def needs_label(label: str, matchers: Iterable[Matcher]) -> bool:
    """Whether alerts that matchers take have a label for sure."""
    return any(each.label == label and holds(each, "") is False for each in matchers)


def written(matchers: Iterable[Matcher]) -> str:
    return ", ".join(f'{each.label}{each.operator}"{each.value}"' for each in matchers)


def tells_nobody(configuration: Configuration, receiver: str) -> bool:
    """Whether a receiver is there to drop what it gets."""
    found = receiver_of(configuration, receiver)
    return receiver.lower() in _NOBODY and (found is None or not found.integrations)


def receiver_of(configuration: Configuration, name: str) -> Receiver | None:
    return next((each for each in configuration.receivers if each.name == name), None)


def pages(configuration: Configuration, receiver: str, matchers: Iterable[Matcher]) -> bool:
    """Whether a route is for what wakes somebody, by its receiver or by the severities that it takes."""
    found = receiver_of(configuration, receiver)
    kinds = [each.kind.lower() for each in found.integrations] if found is not None else []
    if any(kind.startswith(pager) for kind in kinds for pager in _PAGERS):
        return True
    return any(
        each.label in ("severity", "tier", "priority") and not PAGING.isdisjoint(finite(each) or ())
        for each in matchers
    )
