"""Literal factors on a value that make no unit of its own."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from gpuobs.expressions import Expression
from gpuobs.promql import nodes
from gpuobs.promql.nodes import Binary, Node
from gpuobs.promql.units import Unit

# A factor below is a number of things or a tolerance, such as 8 GPUs or 0.9. A hundred is on its way to a percentage.
_CONVERTS = 50.0


@dataclass(frozen=True, slots=True)
class Factors:
    """A value, as it is written, in a unit, and all that it is multiplied with in `node`."""

    node: Node
    value: Node
    unit: Unit
    total: float


def wrong(expression: Expression) -> Iterator[Factors]:
    """All literal factors on a value together, where they make no unit of its own."""
    for node in expression.analysis.walk():
        if _factor(node) is None or _factor(expression.analysis.parents.get(node)) is not None:
            continue
        total, value = 1.0, node
        while (step := _factor(nodes.bare(value))) is not None:
            value, total = step[0], total * step[1]
        if not 1e-99 < total < 1e99:  # nothing that a unit is about
            continue
        unit = expression.analysis[value].unit
        if not (unit is None or unit.count or math.isclose(unit.scale, 1) or _known(unit, total)):
            yield Factors(node, value, unit, total)


def _factor(node: Node | None) -> tuple[Node, float] | None:
    """The operand and the literal factor of a multiplication or a division by a literal."""
    if not isinstance(node, Binary) or node.name not in ("*", "/"):
        return None
    left, right = nodes.constant(node.lhs), nodes.constant(node.rhs)
    if right is not None and left is None and right > 0:
        return node.lhs, right if node.name == "*" else 1 / right
    if left is not None and right is None and left > 0 and node.name == "*":
        return node.rhs, left
    return None


def _known(unit: Unit, factor: float) -> bool:
    named = dict(unit.dimensions)
    on_the_way = named and any(math.isclose(factor, one) for one in (0.01, 100.0))
    if on_the_way or 1 / _CONVERTS < factor < _CONVERTS:
        return True
    scale = unit.scale / factor
    if not named:
        return any(math.isclose(scale, one) for one in (1.0, 0.01))
    times = (
        (1.0, 60.0, 3600.0, 86400.0, 604800.0)
        if "seconds" in named or "joules" in named
        else (1.0,)
    )
    return any(_prefix(scale / t, "bytes" in named) or _prefix(scale * t, False) for t in times)


def _prefix(scale: float, binary: bool) -> bool:
    bases = (1000.0, 1024.0) if binary else (1000.0,)
    return any(
        math.isclose(scale, base**power, rel_tol=1e-9) for base in bases for power in range(-5, 6)
    )
