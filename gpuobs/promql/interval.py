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

    def mean(self) -> Interval:
        """Of means of the values: those of both infinities are NaN."""
        both = math.isinf(self.low) and math.isinf(self.high)
        return Interval(self.low, self.high, self.nan or both)

    def interpolated(self) -> Interval:
        """Of values between two of them: infinity with the weight 0 is NaN."""
        return Interval(self.low, self.high, self.nan or self.infinite)

    def __add__(self, other: Interval) -> Interval:
        return self._combined(other, self.low + other.low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return self._combined(other, self.low - other.high, self.high - other.low)

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low, self.nan)

    def __mul__(self, other: Interval) -> Interval:
        if self.empty or other.empty:
            return self._nothing(other)
        ends = [_product(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        nan = (
            self.nan
            or other.nan
            or (0 in self and other.infinite)
            or (0 in other and self.infinite)
        )
        return Interval(min(ends), max(ends), nan)

    def __truediv__(self, other: Interval) -> Interval:
        if self.empty or other.empty:
            return self._nothing(other)
        if 0 in other:
            low = 0.0 if self.low >= 0 and other.low >= 0 else -_INF
            return Interval(low, _INF, True)
        ends = [_quotient(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        nan = self.nan or other.nan or (self.infinite and other.infinite)
        return Interval(min(ends), max(ends), nan)

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    @property
    def infinite(self) -> bool:
        return math.isinf(self.low) or math.isinf(self.high)

    def _combined(self, other: Interval, low: float, high: float) -> Interval:
        if self.empty or other.empty:
            return self._nothing(other)
        nan = self.nan or other.nan or (self.infinite and other.infinite)
        return Interval(-_INF if math.isnan(low) else low, _INF if math.isnan(high) else high, nan)

    def _nothing(self, other: Interval) -> Interval:
        """What is computed of no values at all; NaN stays."""
        return Interval(_INF, -_INF, self.nan or other.nan)

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


def _quotient(a: float, b: float) -> float:
    return 0.0 if math.isinf(b) else a / b
