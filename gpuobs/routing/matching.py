"""Whether matchers take an alert, as Alertmanager decides it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from gpuobs.promql import re2
from gpuobs.routing.model import Matcher


def holds(matcher: Matcher, value: str) -> bool | None:
    """Whether a matcher takes a label's value; None where its pattern is beyond what we read.

    A label that an alert does not have has the empty value.
    """
    if matcher.operator in ("=", "!="):
        return (value == matcher.value) == (matcher.operator == "=")
    pattern = re2.anchored(matcher.value)
    if pattern is None:
        return None
    if "\n" in value:  # which a point does not take here, and does in Prometheus
        pattern = re.compile(pattern.pattern, pattern.flags & ~re.DOTALL)
    return (pattern.fullmatch(value) is not None) == (matcher.operator == "=~")


def take(matchers: Iterable[Matcher], labels: Mapping[str, str]) -> bool | None:
    """Whether all matchers hold; None where that hangs on a pattern beyond what we read."""
    found = [holds(matcher, labels.get(matcher.label, "")) for matcher in matchers]
    if False in found:
        return False
    return None if None in found else True
