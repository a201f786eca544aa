"""Where two comparisons with a constant differ, and whether a value can lie there."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from gpuobs.promql.shapes import BLANK, Shape

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}
# The smallest number that an exporter writes for "no value": DCGM's blank of 32 bits.
_LEAST_BLANK = 0x7FFFFFF0


@dataclass(frozen=True, slots=True)
class Comparison:
    """Of a value with a limit; `swapped` where the limit stands on the left."""

    name: str
    limit: float
    swapped: bool = False

    def holds(self, value: float) -> bool:
        compared = _OPERATORS[self.name]
        return compared(self.limit, value) if self.swapped else compared(value, self.limit)


def differ(one: Comparison, other: Comparison, shape: Shape, whole: bool) -> bool:
    """Whether some value that the shape allows passes one of them and not the other."""
    if shape.range.nan and one.holds(math.nan) != other.holds(math.nan):
        return True
    parts = [(shape.range.low, shape.range.high)]
    if BLANK in shape.traits:
        parts.append((_LEAST_BLANK, math.inf))
    return any(
        one.holds(value) != other.holds(value)
        for low, high in parts
        for value in _samples(sorted({one.limit, other.limit}), low, high, whole)
    )


def _samples(limits: list[float], low: float, high: float, whole: bool) -> Iterator[float]:
    """A value of each stretch between the limits, and the limits themselves, as far as there are such values."""
    ends = [-math.inf, *limits, math.inf]
    for left, right in pairwise(ends):
        value = _between(max(left, low), min(right, high), left, right, whole)
        if value is not None:
            yield value
    yield from (x for x in limits if low <= x <= high and (not whole or x == int(x)))


def _between(low: float, high: float, left: float, right: float, whole: bool) -> float | None:
    """A value from `low` to `high` that is neither `left` nor `right`."""
    if low > high:
        return None
    if whole and math.isfinite(low):
        first = float(math.ceil(low))
        first += first == left
        return first if first <= high and first != right else None
    if whole and math.isfinite(high):
        last = float(math.floor(high))
        last -= last == right
        return last if last >= low and last != left else None
    middle = _middle(low, high)
    return middle if middle not in (left, right) else None


def _middle(low: float, high: float) -> float:
    if math.isinf(low):
        return 0.0 if math.isinf(high) else high - 1
    return low + 1 if math.isinf(high) else low + (high - low) / 2
