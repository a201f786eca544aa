"""The nearest neighbour of a misspelt name."""

from __future__ import annotations

from collections.abc import Iterable

_FEW = 12
_SHORTEST = 4


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that the author most likely meant, or None where nothing is close."""
    candidates = sorted(known)
    longer = [candidate for candidate in candidates if candidate.lower().startswith(name.lower())]
    return _alike(name, candidates) or (longer[0] if longer else None)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint: the nearest neighbour, else those that hold the name, else the few that there are, else nothing."""
    names = sorted(known)
    match = _alike(name, names)
    if match is not None:
        return f"did you mean '{match}'?"
    holders = [each for each in names if len(name) > 2 and name.lower() in each.lower()]
    if len(holders) == 1:
        return f"did you mean '{holders[0]}'?"
    if 1 < len(holders) <= _FEW:
        return f"did you mean one of {', '.join(holders)}?"
    return "known: " + ", ".join(names) if 0 < len(names) <= _FEW else ""


def slip(name: str, known: Iterable[str]) -> str | None:
    """The known name that another is but for a letter too many, one too few, or two in the wrong order."""
    names = known if len(name) >= _SHORTEST else ()
    return next((each for each in sorted(names) if _is_slip(name, each)), None)


def _is_slip(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1:
        return False
    start = 0
    while one[start : start + 1] and one[start : start + 1] == other[start : start + 1]:
        start += 1
    one, other = one[start:], other[start:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    swapped = len(one) == 2 and one == other[::-1]
    return (swapped or len(one + other) == 1) and (one + other).isalpha()


def _alike(name: str, candidates: list[str]) -> str | None:
    from difflib import get_close_matches

    folded = {candidate.lower(): candidate for candidate in reversed(candidates)}
    if name.lower() in folded:
        return folded[name.lower()]
    matches = get_close_matches(name, candidates, n=1, cutoff=0.6)
    return matches[0] if matches else None
