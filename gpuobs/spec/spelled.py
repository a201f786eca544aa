"""Times as people write them, spelled as Prometheus does."""

from __future__ import annotations

import re

from gpuobs.spec.scalars import Duration, duration

_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([a-z]+)")
_ISO = re.compile(r"p(?=.*[0-9])(?P<days>[0-9wd]*)(?:t(?P<time>[0-9.hms]+))?")
_UNIT = re.compile(
    r"(?P<ms>ms|millis|milliseconds?)|(?P<s>s|secs?|seconds?)|(?P<m>m|mins?|minutes?)|"
    r"(?P<h>h|hrs?|hours?)|(?P<d>d|days?)|(?P<w>w|wks?|weeks?)"
)
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_CENTURY = 100 * 365 * 24 * 3600.0  # seconds


def spelled(text: str) -> Duration | None:
    """`1 hour`, `1.5h`, `5 min`, `30m1h`, `-5m` and `PT5M` as durations; None for what is no time at all."""
    lower = text.lower().strip().lstrip("-+").strip()
    iso = _ISO.fullmatch(lower)
    if iso is not None:
        lower = iso["days"] + (iso["time"] or "")
    parts = _PART.findall(lower)
    if not parts or _PART.sub("", lower).replace("and", "").strip(" ,\n"):
        return None
    seconds = 0.0
    for count, word in parts:
        unit = _UNIT.fullmatch(word)
        if unit is None or unit.lastgroup is None:
            return None
        seconds += float(count) * _SECONDS[unit.lastgroup]
    return duration(seconds) if seconds < _CENTURY else None
