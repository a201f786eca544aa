"""Whether a signal's source really has the signal's unit and range: those of its metrics times the factors beside them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from gpuobs import promql
from gpuobs.promql import units
from gpuobs.promql.nodes import Binary, Node, Select, bare, constant
from gpuobs.spec.model import Metric, Signal

Lookup = Callable[[str], Metric | None]


@dataclass(frozen=True, slots=True)
class Part:
    """A metric in a source with the literal factor beside it; `alone` unless something is added to it."""

    name: str
    factor: float
    alone: bool = True


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
    have, wanted = units.named(metric.unit), units.named(signal.unit)
    if have is None or wanted is None:
        return ""
    factor = units.conversion(have, wanted)
    if metric.unit == signal.unit:
        factor = 1.0
    if factor is None:
        return f"'{part.name}' is in {metric.unit}, and '{signal.name}' in {signal.unit}"
    if math.isclose(part.factor, factor, rel_tol=1e-9):
        return ""
    return (
        f"'{part.name}' is in {metric.unit}: {_times(part.factor)} that is no {signal.unit}, "
        f"{_times(factor)} it is"
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


def _parts(node: Node) -> list[Part]:
    """Metrics with their factors, only where the arithmetic is plain."""
    node = bare(node)
    if isinstance(node, Select):
        return [Part(node.selector.name, 1.0)]
    if not isinstance(node, Binary):
        return []
    operator = node.name
    if operator == "or":
        return [*_parts(node.lhs), *_parts(node.rhs)]
    if operator in ("and", "unless"):
        return _parts(node.lhs)
    if operator in ("+", "-"):
        return [replace(part, alone=False) for part in (*_parts(node.lhs), *_parts(node.rhs))]
    left, right = constant(node.lhs), constant(node.rhs)
    if operator == "*" and left is not None:
        return _scaled(node.rhs, left)
    if operator == "*" and right is not None:
        return _scaled(node.lhs, right)
    if operator == "/" and right:
        return _scaled(node.lhs, 1 / right)
    return []


def _scaled(node: Node, factor: float) -> list[Part]:
    return [replace(part, factor=part.factor * factor) for part in _parts(node)]
