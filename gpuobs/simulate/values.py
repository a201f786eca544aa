"""Samples of a healthy fleet: gauges wander within what their unit makes plausible, counters rise, faults stay at zero."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Callable
from functools import lru_cache

from gpuobs.simulate.series import Series
from gpuobs.spec.model import Metric

Value = Callable[[float], float]

# Unit to the middle of what a busy, healthy GPU reports and how far it wanders from it.
_GAUGES: dict[str, tuple[float, float]] = {
    "ratio": (0.7, 0.2),
    "percent": (70, 20),
    "celsius": (55, 8),
    "watts": (450, 120),
    "megahertz": (1700, 100),
    "hertz": (1.7e9, 1e8),
    "mebibytes": (30_000, 4_000),
    "megabytes": (30_000, 4_000),
    "bytes": (3e10, 4e9),
    "bytes-per-second": (2e9, 1e9),
    "1024000-bytes-per-second": (20_000, 5_000),
    "volts": (0.85, 0.05),
    "millivolts": (850, 50),
}
# Unit to what a counter gains in a second; a unit that is not here counts what should not happen.
_COUNTERS: dict[str, float] = {
    "millijoules": 450_000,
    "microjoules": 450_000_000,
    "joules": 450,
    "bytes": 2e9,
    "kilobytes": 2e6,
    "cycles": 1.7e9,
    "packets": 1000,
    "samples": 100,
}
_FAULTS = frozenset({"nanoseconds", "microseconds", "errors", "rows", "pages", "banks", "events"})
# In names of counters of what should not happen, whatever their unit.
_WRONG = re.compile(
    r"fail|drop|discard|invalid|exceed|corrupt|retri|retry|duplicate|out_of|missed|reject"
)
# In names of booleans that are 1 while all is well.
_WELL = re.compile(r"(?<!in)valid|success|(?<!not_)ready|(?<!un)health", re.IGNORECASE)
# In names of gauges that say how far clocks are held back.
_HELD_BACK = re.compile(r"violation_|throttl")
_PERIOD, _PHASES = 600.0, 1000  # seconds of one turn, and points at which it may begin
# What limits and wholes are by unit, and so is not passed by what they hold down.
_LIMITS: dict[str, float] = {
    "watts": 700,
    "megahertz": 1980,
    "celsius": 90,
    "mebibytes": 81_559,
    "megabytes": 81_559,
    "bytes": 81_559 * 2**20,
}
# Of labels that list what could be the case: the one that is, on a healthy node and for a running pod.
_TRUE = {
    "phase": "Running",
    "condition": "Ready",
    "status": "true",
}


def value_of(series: Series, limits: frozenset[str], seed: int = 0) -> Value:
    """A series' value as a function of the time in seconds. `limits` are metrics that hold others down."""
    metric = series.metric
    if metric.on_event:
        return ABSENT
    if metric.kind == "counter":
        wrong = metric.fault or _WRONG.search(series.name)
        return rising(0.0 if wrong else _COUNTERS.get(metric.unit, 0.0))
    constant = _constant(series, limits)
    if constant is not None:
        return steady(constant)
    middle, width = _bounded(metric, *_GAUGES.get(metric.unit, (1, 0)))
    if not width:
        return steady(middle)
    # The value of a board is the same on all series of its MIG instances.
    place = series.entity.board if metric.per == "gpu" else series.entity.key
    phase = zlib.crc32(f"{seed} {series.name} {place}".encode()) % _PHASES
    return _wandering(middle, width, phase, metric.integer)


# One function for all series that have the same values: a fleet has millions of the ones, and some thousands of the others.


@lru_cache(maxsize=4096)
def steady(value: float) -> Value:
    """Always the same."""
    return lambda at: value  # noqa: ARG005


# Of a series that is not there while all is well.
ABSENT = steady(math.nan)


@lru_cache(maxsize=4096)
def rising(per_second: float) -> Value:
    """A counter of whole things since 1970."""
    return lambda at: math.floor(per_second * at)


@lru_cache(maxsize=65536)
def _wandering(middle: float, width: float, phase: int, whole: bool) -> Value:
    turn, start = math.tau / _PERIOD, phase * math.tau / _PHASES
    if whole:
        return lambda at: round(middle + width * math.sin(at * turn + start))
    return lambda at: middle + width * math.sin(at * turn + start)


def _constant(series: Series, limits: frozenset[str]) -> float | None:
    """The value of what does not wander: states, codes, limits and faults."""
    metric = series.metric
    if metric.kind == "boolean":
        labels = dict(series.labels)
        said = [labels[label] == true for label, true in _TRUE.items() if label in labels]
        return float(all(said)) if said else float(_WELL.search(series.name) is not None)
    if metric.kind == "info":
        return 1
    if metric.kind in ("code", "latched-code", "bitmask") or metric.unit in _FAULTS:
        return 0
    if _HELD_BACK.search(series.name):
        return 0
    if metric.name in limits:
        return _LIMITS.get(metric.unit)
    if metric.unit == "celsius" and metric.range is not None and (metric.range[0] or 0) < 0:
        return 30  # a margin
    return None


def _bounded(metric: Metric, middle: float, width: float) -> tuple[float, float]:
    """Within the metric's range."""
    low, high = metric.range or (None, None)
    if high is not None and middle + width > high:
        middle, width = high / 2, high / 4
    if low is not None and middle - width < low:
        middle, width = max(low, middle), 0
    return middle, width


@lru_cache(maxsize=65536)
def text(value: float) -> bytes:
    """A sample's value and the end of its line, as the exposition format writes it."""
    if value == int(value) and abs(value) < 1e15:
        return b"%d\n" % int(value)
    return f"{round(value, 6)!r}\n".encode()
