"""The nearest neighbour of a misspelt name."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that the author most likely meant, or None where nothing is close."""
    from difflib import get_close_matches

    candidates = sorted(known)
    folded = {candidate.lower(): candidate for candidate in reversed(candidates)}
    if name.lower() in folded:
        return folded[name.lower()]
    matches = get_close_matches(name, candidates, n=1, cutoff=0.6)
    inside = [candidate for candidate in candidates if name and name.lower() in candidate.lower()]
    longer = [candidate for candidate in inside if candidate.lower().startswith(name.lower())]
    close = matches or longer or inside
    return close[0] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint that names the nearest neighbour, else the few that there are; empty where there are many."""
    names = sorted(known)
    match = nearest(name, names)
    if match is not None:
        return f"did you mean '{match}'?"
    if 0 < len(names) <= 12:
        return "known: " + ", ".join(names)
    return ""
