"""Many metric names as one regular expression that matches them and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PART = re.compile(r"[^:_]*[:_]?")


def pattern(names: Iterable[str]) -> str:
    """An alternation in which what several names begin with stands once, such as `node:(?:a|b):max`.

    Names hold nothing that means more than itself in RE2, and Prometheus anchors what it is given.
    """
    return "|".join(_branches(sorted(set(names))))


def _branches(names: list[str]) -> list[str]:
    by_part: dict[str, list[str]] = {}
    for name in names:
        match = _PART.match(name)
        assert match is not None
        by_part.setdefault(match.group(), []).append(name[match.end() :])
    return [_branch(part, rest) for part, rest in by_part.items()]


def _branch(part: str, rest: list[str]) -> str:
    ends = _branches([each for each in rest if each])
    if "" in rest:  # a name ends here, and others may go on
        return f"{part}(?:{'|'.join(ends)})?" if ends else part
    return part + ends[0] if len(ends) == 1 else f"{part}(?:{'|'.join(ends)})"
