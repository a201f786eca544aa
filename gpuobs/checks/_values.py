"""What values mean: thresholds on them, the metric that they are of, and what functions take of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuobs.expressions import Expression
from gpuobs.policy import Collected
from gpuobs.promql import nodes
from gpuobs.promql.functions import FUNCTIONS, MATRIX, VECTOR
from gpuobs.promql.nodes import Binary, Call, Node, Select, Subquery
from gpuobs.promql.operands import COMPARISONS
from gpuobs.promql.operators import MIRRORED
from gpuobs.promql.shapes import Shape

ORDER = frozenset({">", ">=", "<", "<="})
# What adds up or spreads values that are no amounts; min, max and count are not among them.
ARITHMETIC = frozenset({"sum", "avg", "stddev", "stdvar", "quantile"})
ARITHMETIC_OVER_TIME = frozenset(f"{name}_over_time" for name in ARITHMETIC)
# What takes the slope or the difference of a gauge.
SLOPES = frozenset({"delta", "idelta", "deriv", "predict_linear", "holt_winters"})


@dataclass(frozen=True, slots=True)
class Threshold:
    """A comparison of series with a literal, read as if the series stood on the left."""

    node: Binary
    series: Node
    operator: str
    value: float


def thresholds(expression: Expression) -> Iterator[Threshold]:
    """Every comparison of series with a literal."""
    for node in expression.analysis.of(Binary):
        if node.name not in COMPARISONS:
            continue
        right, left = nodes.constant(node.rhs), nodes.constant(node.lhs)
        if right is not None and left is None:
            yield Threshold(node, node.lhs, node.name, right)
        elif left is not None and right is None:
            yield Threshold(node, node.rhs, MIRRORED[node.name], left)


def operand(node: Call) -> Node | None:
    """The argument of a function that is a vector or a range vector."""
    for argument, type_ in zip(node.args, FUNCTIONS[node.name].arguments, strict=False):
        if type_ in (VECTOR, MATRIX):
            return argument
    return None


def inner(node: Node) -> Node:
    """What a range is of: a selector, or the expression of a subquery."""
    node = nodes.bare(node)
    return nodes.bare(node.expr) if isinstance(node, Subquery) else node


def named(expression: Expression, node: Node) -> str:
    """A node in a message: of a selector with a window only the selector."""
    if isinstance(node, Select):
        written = expression.parsed.text[node.selector.start : node.selector.end]
        return " ".join(written.split())
    return expression.text(node)


def collected(expression: Expression, shape: Shape) -> Collected | None:
    """The one metric of the catalogs whose values these are."""
    policy = expression.program.policy
    if policy is None or len(shape.metrics) != 1:
        return None
    return policy.collected.get(next(iter(shape.metrics)))


def renamed(expression: Expression, node: Call, name: str) -> str:
    """A call with another function in the place of its own."""
    return name + " ".join(expression.parsed.text[node.function.end : node.end].split())


def inside(text: str, node: Node, function: str, window: str) -> str | None:
    """An expression with a function of a range put where it belongs, around its one selector."""
    ranges = [each for each in nodes.walk(node) if isinstance(each, Select | Subquery)]
    if len(ranges) != 1 or not isinstance(ranges[0], Select):
        return None
    select = ranges[0]
    if select.window is not None or select.offset is not None or select.at:
        return None
    selector = text[select.start : select.end]
    spelt = f"{text[node.start : select.start]}{function}({selector}[{window}]){text[select.end : node.end]}"
    return " ".join(spelt.split())


def restricted(expression: Expression, node: Node) -> bool:
    """Whether `and` or `unless` joins a node, or what it is a part of, with something else."""
    around = expression.analysis.ancestors(node)
    return any(isinstance(each, Binary) and each.name in ("and", "unless") for each in around)


def is_condition(expression: Expression, node: Node) -> bool:
    """Whether a node only says which series of another are kept: it stands on the right of `and` or `unless`."""
    below = node
    for above in expression.analysis.ancestors(node):
        if isinstance(above, Binary) and above.name in ("and", "unless"):
            right = nodes.bare(above.rhs)
            if right is nodes.bare(below):
                return True
        below = above
    return False


def counts(expression: Expression, shape: Shape) -> str:
    """The metric that counts the events of a code that stays, if this fleet collects one."""
    found, policy = collected(expression, shape), expression.program.policy
    if found is None or policy is None:
        return ""
    return next((str(name) for name in found.metric.counted_by if name in policy.collected), "")
