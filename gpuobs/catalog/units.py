"""Whether a signal's source really has the signal's unit and range: those of its metrics times the factors beside them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gpuobs import promql
from gpuobs.spec.model import Metric, Signal

# Unit to its base unit and how many of those it is.
UNITS: Mapping[str, tuple[str, float]] = {
    "ratio": ("ratio", 1),
    "percent": ("ratio", 0.01),
    "bytes": ("bytes", 1),
    "kilobytes": ("bytes", 1e3),
    "megabytes": ("bytes", 1e6),
    "mebibytes": ("bytes", 1024 * 1024),
    "bytes-per-second": ("bytes/s", 1),
    "kibibytes-per-second": ("bytes/s", 1024),
    "1024000-bytes-per-second": ("bytes/s", 1024000),
    "gigabytes-per-second": ("bytes/s", 1e9),
    "megabits-per-second": ("bytes/s", 125000),
    "hertz": ("hertz", 1),
    "megahertz": ("hertz", 1e6),
    "joules": ("joules", 1),
    "millijoules": ("joules", 1e-3),
    "microjoules": ("joules", 1e-6),
    "seconds": ("seconds", 1),
    "milliseconds": ("seconds", 1e-3),
    "microseconds": ("seconds", 1e-6),
    "nanoseconds": ("seconds", 1e-9),
    "volts": ("volts", 1),
    "millivolts": ("volts", 1e-3),
    "amperes": ("amperes", 1),
    "milliamperes": ("amperes", 1e-3),
}
Lookup = Callable[[str], Metric | None]


@dataclass(frozen=True, slots=True)
class Part:
    """A metric in a source with the literal factor beside it; `alone` unless something is added to it."""

    name: str
    factor: float
    alone: bool = True


def base(unit: str) -> tuple[str, float]:
    """A unit's base unit and scale; a unit that is not in the table is its own base."""
    return UNITS.get(unit, (unit, 1.0))


def conversion(unit: str) -> str:
    """A unit in words, with what makes its base unit of it."""
    words = f"units of {unit}" if unit[:1].isdigit() else unit
    words = words.replace("-", " ")
    to, scale = base(unit)
    if unit == "ratio":
        return "ratio, 1 is all"
    if scale == 1:
        return words
    article = "a " if to == "ratio" else ""
    return f"{words}; {_times(scale)} it is {article}{to.replace('/s', ' per second')}"


def problems(text: str, lookup: Lookup, signal: Signal) -> list[str]:
    """Why an expression has not the unit and range of its signal; nothing where that cannot be proved."""
    parsed = promql.parse(text)
    if isinstance(parsed, promql.Refused):
        return []
    found = []
    for part in _parts(parsed.tree):
        metric = lookup(part.name)
        if metric is not None:
            found.append(
                _unit_problem(part, metric, signal) or _range_problem(part, metric, signal)
            )
    return [problem for problem in found if problem]


def _unit_problem(part: Part, metric: Metric, signal: Signal) -> str:
    if not metric.unit or not signal.unit:
        return ""
    wanted, scale = base(signal.unit)
    unit, per = base(metric.unit)
    if unit != wanted:
        return f"'{part.name}' is in {metric.unit}, and '{signal.name}' in {signal.unit}"
    if math.isclose(part.factor * scale, per, rel_tol=1e-9):
        return ""
    return (
        f"'{part.name}' is in {metric.unit}: {_times(part.factor)} that is no {signal.unit}, "
        f"{_times(per / scale)} it is"
    )


def _times(factor: float) -> str:
    """A factor as an author would write it: `times 1048576`, `divided by 1000`."""
    if 0 < factor < 1 and math.isclose(1 / factor, round(1 / factor), rel_tol=1e-9):
        return f"divided by {round(1 / factor)}"
    return f"times {factor:.12g}"


def _range_problem(part: Part, metric: Metric, signal: Signal) -> str:
    """Values that the signal says it never has; a metric without bounds proves nothing."""
    if not part.alone or metric.range is None or signal.range is None:
        return ""
    ends = sorted(end * part.factor for end in metric.range if end is not None)
    low, high = signal.range
    outside = [e for e in ends if (low is not None and e < low) or (high is not None and e > high)]
    if not outside:
        return ""
    bounds = " to ".join("no limit" if end is None else f"{end:g}" for end in signal.range)
    return f"'{part.name}' {_times(part.factor)} can be {outside[-1]:g}, and '{signal.name}' goes from {bounds}"


def _parts(node: Any) -> list[Part]:
    """Metrics with their factors, only where the arithmetic is plain."""
    kind = promql.kind(node)
    if kind == "ParenExpr":
        return _parts(node.expr)
    if kind == "VectorSelector":
        return [Part(node.name or "", 1.0)]
    if kind != "BinaryExpr":
        return []
    operator = promql.operator(node)
    if operator == "or":
        return [*_parts(node.lhs), *_parts(node.rhs)]
    if operator in ("and", "unless"):
        return _parts(node.lhs)
    if operator in ("+", "-"):
        return [replace(part, alone=False) for part in (*_parts(node.lhs), *_parts(node.rhs))]
    left, right = _literal(node.lhs), _literal(node.rhs)
    if operator == "*" and left is not None:
        return _scaled(node.rhs, left)
    if operator == "*" and right is not None:
        return _scaled(node.lhs, right)
    if operator == "/" and right:
        return _scaled(node.lhs, 1 / right)
    return []


def _scaled(node: Any, factor: float) -> list[Part]:
    return [replace(part, factor=part.factor * factor) for part in _parts(node)]


def _literal(node: Any) -> float | None:
    kind = promql.kind(node)
    if kind == "ParenExpr":
        return _literal(node.expr)
    if kind == "NumberLiteral":
        return float(node.val)
    if kind == "BinaryExpr" and promql.operator(node) in ("*", "/"):
        left, right = _literal(node.lhs), _literal(node.rhs)
        if left is None or right is None or (promql.operator(node) == "/" and not right):
            return None
        return left * right if promql.operator(node) == "*" else left / right
    return None
