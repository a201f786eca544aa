"""Which series an expression reads, also where it selects them by a pattern or without a name."""

from __future__ import annotations

import re
from collections.abc import Collection

from gpuobs import promql

_NAME = "__name__"
_BEGINNING = re.compile(r"[\w:]*")


def reads(expression: str, version: tuple[int, int], known: Collection[str]) -> tuple[str, ...]:
    """Names that an expression selects, in order; of a pattern all that are known and may match, never too few."""
    parsed = promql.parse(expression, version)
    if isinstance(parsed, promql.Refused):
        return ()
    return tuple(
        dict.fromkeys(
            name for selector in promql.selectors(parsed) for name in _names(selector, known)
        )
    )


def _names(selector: promql.Selector, known: Collection[str]) -> Collection[str]:
    if selector.name:
        return (selector.name,)
    matchers = [matcher for matcher in selector.matchers if matcher.label == _NAME]
    return [name for name in known if all(_may_be(name, matcher) for matcher in matchers)]


def _may_be(name: str, matcher: promql.Matcher) -> bool:
    if matcher.op in ("=", "!="):
        return (name == matcher.value) is (matcher.op == "=")
    if matcher.op == "!~" or "(?" in matcher.value:
        return True
    return any(_may_begin(name, branch) for branch in matcher.value.split("|"))


def _may_begin(name: str, pattern: str) -> bool:
    """Whether a name begins as a pattern does, up to the first sign that means something."""
    found = _BEGINNING.match(pattern)
    assert found is not None
    plain, rest = found.group(), pattern[found.end() :]
    if not rest:
        return name == plain
    return name.startswith(plain[:-1] if rest[0] in "*?{" else plain)
