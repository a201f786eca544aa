"""Intervals of values, closed on both sides; infinite where there is no bound."""

from __future__ import annotations

import math
from dataclasses import dataclass

_INF = math.inf


@dataclass(frozen=True, slots=True)
class Interval:
    """All values from `low` to `high`, and NaN where `nan` says so."""

    low: float = -_INF
    high: float = _INF
    nan: bool = False

    def union(self, other: Interval) -> Interval:
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Interval(low, high, self.nan or other.nan)

    def within(self, low: float = -_INF, high: float = _INF) -> Interval:
        """What a comparison leaves: the part between the bounds, without NaN; possibly nothing (low above high)."""
        return Interval(max(self.low, low), min(self.high, high))

    @property
    def empty(self) -> bool:
        return self.low > self.high

    def __add__(self, other: Interval) -> Interval:
        return self._combined(other, self.low + other.low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return self._combined(other, self.low - other.high, self.high - other.low)

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low, self.nan)

    def __mul__(self, other: Interval) -> Interval:
        ends = [_product(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        nan = (
            self.nan
            or other.nan
            or (0 in self and other.infinite)
            or (0 in other and self.infinite)
        )
        return Interval(min(ends), max(ends), nan)

    def __truediv__(self, other: Interval) -> Interval:
        if 0 not in other:
            inverse = Interval(_inverse(other.high), _inverse(other.low), other.nan)
            product = self * inverse
            return Interval(
                product.low, product.high, product.nan or (self.infinite and other.infinite)
            )
        low = 0.0 if self.low >= 0 and other.low >= 0 else -_INF
        return Interval(low, _INF, True)

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    @property
    def infinite(self) -> bool:
        return math.isinf(self.low) or math.isinf(self.high)

    def _combined(self, other: Interval, low: float, high: float) -> Interval:
        nan = self.nan or other.nan or (self.infinite and other.infinite)
        return Interval(-_INF if math.isnan(low) else low, _INF if math.isnan(high) else high, nan)

    def __str__(self) -> str:
        if math.isinf(self.low) and math.isinf(self.high):
            return "any value"
        if math.isinf(self.high):
            return f"{self.low:g} or more"
        if math.isinf(self.low):
            return f"{self.high:g} or less"
        return f"{self.low:g}" if self.low == self.high else f"{self.low:g} to {self.high:g}"


ANY = Interval(nan=True)
FINITE = Interval()
POSITIVE = Interval(0.0)


def _product(a: float, b: float) -> float:
    return 0.0 if a == 0 or b == 0 else a * b


def _inverse(value: float) -> float:
    return 0.0 if math.isinf(value) else 1 / value
