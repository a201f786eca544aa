"""Whether a signal's source really has the signal's unit: metric units times the literal factors beside them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
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


def base(unit: str) -> tuple[str, float]:
    """A unit's base unit and scale; a unit that is not in the table is its own base."""
    return UNITS.get(unit, (unit, 1.0))


def problems(text: str, lookup: Lookup, signal: Signal) -> list[str]:
    """Why an expression does not have the unit of its signal; nothing where that cannot be proved."""
    parsed = promql.parse(text)
    if isinstance(parsed, promql.Refused):
        return []
    found = []
    wanted, scale = base(signal.unit)
    for name, factor in _products(parsed.tree):
        metric = lookup(name)
        if metric is None or not metric.unit or not signal.unit:
            continue
        unit, per = base(metric.unit)
        if unit != wanted:
            found.append(f"'{name}' is in {metric.unit}, and '{signal.name}' in {signal.unit}")
        elif not math.isclose(factor * scale, per, rel_tol=1e-9):
            right = per / scale
            found.append(
                f"'{name}' is in {metric.unit}: times {factor:g} that is no {signal.unit}, times {right:g} it is"
            )
    return found


def _products(node: Any) -> list[tuple[str, float]]:
    """Metrics with the literal factor that each is multiplied by; only where the arithmetic is plain."""
    kind = promql.kind(node)
    if kind == "ParenExpr":
        return _products(node.expr)
    if kind == "VectorSelector":
        return [(node.name or "", 1.0)]
    if kind != "BinaryExpr":
        return []
    operator = promql.operator(node)
    if operator in ("+", "-"):
        return [*_products(node.lhs), *_products(node.rhs)]
    left, right = _literal(node.lhs), _literal(node.rhs)
    if operator == "*" and left is not None:
        return [(name, factor * left) for name, factor in _products(node.rhs)]
    if operator == "*" and right is not None:
        return [(name, factor * right) for name, factor in _products(node.lhs)]
    if operator == "/" and right:
        return [(name, factor / right) for name, factor in _products(node.lhs)]
    return []


def _literal(node: Any) -> float | None:
    kind = promql.kind(node)
    if kind == "ParenExpr":
        return _literal(node.expr)
    if kind == "NumberLiteral":
        return float(node.val)
    if kind == "BinaryExpr" and promql.operator(node) in ("*", "/"):
        left, right = _literal(node.lhs), _literal(node.rhs)
        if left is None or right is None:
            return None
        return left * right if promql.operator(node) == "*" else left / right
    return None
