"""Many metric names as one regular expression that matches them and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from os.path import commonprefix

_PART = re.compile(r"[^:_]*[:_]?")


def pattern(names: Iterable[str]) -> str:
    """An alternation in which what several names begin with stands once, such as `node:(a|b):max`.

    Names hold nothing that means more than itself in RE2, and Prometheus anchors what it is given.
    """
    return "|".join(_branches(sorted(set(names))))


def _branches(names: list[str]) -> list[str]:
    by_part: dict[str, list[str]] = {}
    for name in names:
        match = _PART.match(name)
        assert match is not None
        by_part.setdefault(match.group(), []).append(name)
    return [_branch(alike) for alike in by_part.values()]


def _branch(names: list[str]) -> str:
    """Names that begin alike, cut at the last colon or underscore that all of them have."""
    if len(names) == 1:
        return names[0]
    common = commonprefix(names)  # noqa: RUF071 -- of characters, not of paths
    common = common[: max(common.rfind(":"), common.rfind("_")) + 1]
    return f"{common}({'|'.join(_branches([name[len(common) :] for name in names]))})"
