"""Units as products of base units with a scale: what arithmetic makes of them, and when two of them do not fit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

# Unit to base units with their exponents, and how many of these it is.
_SECOND = {"seconds": 1}
_PER_SECOND = {"seconds": -1}
_BYTES_RATE = {"bytes": 1, "seconds": -1}
_WATT = {"joules": 1, "seconds": -1}
_VOLT = {"joules": 1, "seconds": -1, "amperes": -1}
_TABLE: Mapping[str, tuple[Mapping[str, int], float]] = {
    "ratio": ({}, 1),
    "percent": ({}, 0.01),
    "bytes": ({"bytes": 1}, 1),
    "kilobytes": ({"bytes": 1}, 1e3),
    "megabytes": ({"bytes": 1}, 1e6),
    "mebibytes": ({"bytes": 1}, 1024 * 1024),
    "bytes-per-second": (_BYTES_RATE, 1),
    "kibibytes-per-second": (_BYTES_RATE, 1024),
    "1024000-bytes-per-second": (_BYTES_RATE, 1024000),
    "gigabytes-per-second": (_BYTES_RATE, 1e9),
    "megabits-per-second": (_BYTES_RATE, 125000),
    "hertz": ({"hertz": 1}, 1),
    "megahertz": ({"hertz": 1}, 1e6),
    "celsius": ({"celsius": 1}, 1),
    "watts": (_WATT, 1),
    "milliwatts": (_WATT, 1e-3),
    "joules": ({"joules": 1}, 1),
    "millijoules": ({"joules": 1}, 1e-3),
    "microjoules": ({"joules": 1}, 1e-6),
    "seconds": (_SECOND, 1),
    "milliseconds": (_SECOND, 1e-3),
    "microseconds": (_SECOND, 1e-6),
    "nanoseconds": (_SECOND, 1e-9),
    "unix-seconds": ({"unix": 1}, 1),
    "volts": (_VOLT, 1),
    "millivolts": (_VOLT, 1e-3),
    "amperes": ({"amperes": 1}, 1),
    "milliamperes": ({"amperes": 1}, 1e-3),
}
# Factors between scales of one quantity: decimal and binary prefixes, and those of time. A hundred may be on its way to a
# percentage: `100 * used / total`.
_PERCENT = 100.0
_PREFIXES = tuple(b**n for b in (1000.0, 1024.0) for n in range(1, 6))
_CONVERSIONS: Mapping[str, tuple[float, ...]] = {
    "": (_PERCENT, *_PREFIXES),
    "bytes": (_PERCENT, *_PREFIXES, 1024 * 1000.0),
    "seconds": (_PERCENT, 1e3, 1e6, 1e9, 60.0, 3600.0, 86400.0, 604800.0),
    "joules": (_PERCENT, 1e3, 1e6, 1e9, 3600.0, 3.6e6, 3.6e9),
    "other": (_PERCENT, 1e3, 1e6, 1e9, 1e12),
}


@dataclass(frozen=True, slots=True)
class Unit:
    """A value times `scale` is in base units; a `count` of things fits whatever has no dimension."""

    dimensions: tuple[tuple[str, int], ...] = ()
    scale: float = 1.0
    count: bool = False

    def times(self, other: Unit, sign: int = 1) -> Unit:
        """The unit of a product; with sign -1 of a quotient."""
        powers = dict(self.dimensions)
        for base, power in other.dimensions:
            powers[base] = powers.get(base, 0) + sign * power
        dimensions = tuple(sorted((base, power) for base, power in powers.items() if power))
        scale = _within_reach(self.scale * other.scale**sign)
        return Unit(dimensions, scale, self.count and other.count)

    def scaled(self, factor: float) -> Unit:
        """The unit after a multiplication by a literal: another one if the factor is a conversion, else the same."""
        if factor <= 0 or not self.converts(factor):
            return self
        return Unit(self.dimensions, _within_reach(self.scale / factor), self.count)

    def converts(self, factor: float) -> bool:
        """Whether a literal factor is a conversion of this quantity: 8 is a number of things, 1024 is none."""
        factor = max(factor, 1 / factor)
        named = [base for base, _ in self.dimensions]
        known = _CONVERSIONS["other"]
        for base in ("joules", "bytes", "seconds"):
            if base in named:
                known = _CONVERSIONS[base]
                break
        if not named:
            known = _CONVERSIONS[""] if not self.count else ()
        return any(_close(factor, one) for one in known)

    def fits(self, other: Unit) -> bool:
        """Whether the two can be added and compared."""
        if self.count or other.count:
            return True
        if self.dimensions != other.dimensions:
            return False
        apart = max(self.scale, other.scale) / min(self.scale, other.scale)
        return _close(apart, 1) or (bool(self.dimensions) and _close(apart, _PERCENT))

    def __str__(self) -> str:
        if self.count and not self.dimensions:
            return "count"
        known = _NAMES.get((self.dimensions, _rounded(self.scale)))
        if known is None and not self.dimensions:
            # What is left of a time counted in another unit than seconds.
            times = _NAMES.get((SECONDS.dimensions, _rounded(self.scale)))
            known = f"{times} per second" if times else None
        return known or self._spelt()

    @property
    def is_named(self) -> bool:
        """Whether the language has a word for it, other than those of numbers of things."""
        return (self.dimensions, _rounded(self.scale)) in _NAMES and not self.count

    def _spelt(self) -> str:
        up = "*".join(_power(base, n) for base, n in self.dimensions if n > 0)
        down = "*".join(_power(base, -n) for base, n in self.dimensions if n < 0)
        base = f"{up or '1'}/{down}" if down else up or "1"
        return base if _close(self.scale, 1) else f"{self.scale:.6g} {base}"


_SYMBOLS: Mapping[tuple[tuple[str, int], ...], str] = {
    (("bytes", 1),): "B",
    (("bytes", 1), ("seconds", -1)): "B/s",
    (("hertz", 1),): "Hz",
    (("joules", 1),): "J",
    (("joules", 1), ("seconds", -1)): "W",
    (("seconds", 1),): "s",
}
COUNT = Unit(count=True)
RATIO = Unit()
SECONDS = Unit((("seconds", 1),))
UNIX = Unit((("unix", 1),))
PER_SECOND = Unit((("seconds", -1),))


def named(name: str) -> Unit | None:
    """The unit of a name in the language; None for no unit."""
    if not name:
        return None
    if name not in _TABLE:
        return COUNT
    powers, scale = _TABLE[name]
    return Unit(tuple(sorted(powers.items())), float(scale))


def conversion(have: Unit, wanted: Unit) -> float | None:
    """The factor that makes the one of the other; None where they measure different things."""
    if have.count or wanted.count or have.dimensions != wanted.dimensions:
        return None
    return have.scale / wanted.scale


def spoken(value: float, unit: Unit) -> str:
    """A value in base units as people say it, such as `75 GB`; empty for units without a short form."""
    symbol = _SYMBOLS.get(unit.dimensions)
    if symbol is None:
        return ""
    power = min(int(math.log(value, 1024)), 4) if value >= 1 else 0
    if "B" in symbol and power and value % 1024**power == 0:
        return f"{value / 1024**power:.4g} {'KMGT'[power - 1]}i{symbol}"
    power = min(int(math.log10(value) / 3), 4) if value >= 1 else 0
    return f"{value / 1000**power:.4g} {('', 'k', 'M', 'G', 'T')[power]}{symbol}"


def spelt(factor: float) -> str:
    """A factor as an author would write it: `* 1048576`, `/ 1000`."""
    inverse = 1 / factor if factor else 0
    if 0 < factor < 1 and _close(inverse, round(inverse)):
        return f"/ {round(inverse)}"
    return f"* {factor:.12g}"


def _within_reach(scale: float) -> float:
    """A scale that can be multiplied and divided by another one; no quantity is measured beyond these."""
    return min(max(scale, 1e-99), 1e99)


def _power(base: str, power: int) -> str:
    return base if power == 1 else f"{base}^{power}"


def _close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9)


def _rounded(scale: float) -> str:
    return f"{scale:.9g}"


_NAMES: dict[tuple[tuple[tuple[str, int], ...], str], str] = {}
for _name in _TABLE:
    _unit = named(_name)
    assert _unit is not None
    _NAMES.setdefault((_unit.dimensions, _rounded(_unit.scale)), _name)
