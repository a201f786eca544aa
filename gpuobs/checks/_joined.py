"""Patterns over several sources that want another separator than theirs are joined by."""

from __future__ import annotations

import re
from collections.abc import Callable

from gpuobs.promql import re2
from gpuobs.promql.relabel import Step

_SEPARATORS = ";/@,"
_ESCAPED = re.compile(r"\\([;/@,])")
_OTHER = re.compile(r"\\.|\[\^?\]?[^\]]*\]")
_GROUP = re.compile(r"\([^()]*\)")


def wanted_separator(step: Step, is_plain: Callable[[str], bool]) -> str:
    """What a pattern wants between sources that are plain, which is no part of any value nor of the separator; else empty.

    A plain source has values without any character that separates.
    """
    several = len(step.sources) > 1 and step.action in ("keep", "drop", "replace")
    if not several or re2.anchored(step.regex) is None or not all(map(is_plain, step.sources)):
        return ""
    required = _outside_of_groups(step.regex)
    if "|" in required:
        return ""
    found = (each for each in _SEPARATORS if each not in step.separator)
    return next((each for each in found if re.search(rf"{each}(?![?*{{])", required)), "")


def _outside_of_groups(pattern: str) -> str:
    """What of a pattern every match has: neither groups nor classes."""
    left = _OTHER.sub("", _ESCAPED.sub(r"\1", pattern))
    while (shorter := _GROUP.sub("", left)) != left:
        left = shorter
    return left
