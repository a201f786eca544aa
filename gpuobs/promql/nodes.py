"""An expression as a tree. Every node knows its offsets in the author's text, and is equal only to itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from gpuobs.promql.lexer import Token
from gpuobs.promql.selecting import Grouping, Selector


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A part of an expression, from `start` to `end` (excluded)."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Number(Node):
    """A literal number, or with `duration` a duration that stands for its seconds."""

    value: float
    duration: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class String(Node):
    value: str


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """What stands in `[ ]`: seconds back, and a subquery's step (0: the default one)."""

    seconds: float
    start: int
    end: int
    step: float = 0
    step_start: int = 0
    step_end: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Select(Node):
    """A selector, with a window a range vector; `offset` in seconds if any, `at` where `@` fixes the time."""

    selector: Selector
    window: Window | None = None
    offset: float | None = None
    at: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Subquery(Node):
    expr: Node
    window: Window
    offset: float | None = None
    at: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Call(Node):
    function: Token
    args: tuple[Node, ...]

    @property
    def name(self) -> str:
        return self.function.text


@dataclass(frozen=True, slots=True, eq=False)
class Aggregate(Node):
    function: Token
    parameter: Node | None
    expr: Node
    grouping: Grouping | None

    @property
    def name(self) -> str:
        return self.function.text.lower()

    @property
    def by(self) -> tuple[str, ...] | None:
        """Labels of `by`; none without a grouping, None where the grouping is `without`."""
        if self.grouping is not None and self.grouping.keyword == "without":
            return None
        return () if self.grouping is None else self.grouping.names


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Node):
    operator: Token
    expr: Node


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Node):
    """Two operands; `matching` is on or ignoring, `group` is group_left or group_right."""

    operator: Token
    lhs: Node
    rhs: Node
    bool: bool = False
    matching: Grouping | None = None
    group: Grouping | None = None

    @property
    def name(self) -> str:
        return self.operator.text.lower()


@dataclass(frozen=True, slots=True, eq=False)
class Paren(Node):
    expr: Node


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below a node, in the order of the text."""
    if isinstance(node, Binary):
        return node.lhs, node.rhs
    if isinstance(node, Aggregate):
        return (node.expr,) if node.parameter is None else (node.parameter, node.expr)
    if isinstance(node, Call):
        return node.args
    if isinstance(node, Paren | Unary | Subquery):
        return (node.expr,)
    return ()


def walk(node: Node) -> Iterator[Node]:
    """Every node below and with a node, parents first."""
    pending = [node]
    while pending:
        node = pending.pop()
        yield node
        pending += reversed(children(node))


def alike(one: Node, other: Node) -> bool:
    """Whether two expressions are written alike, but for brackets and white space."""
    pending = [(one, other)]
    while pending:
        left, right = (bare(node) for node in pending.pop())
        if type(left) is not type(right) or _head(left) != _head(right):
            return False
        below = children(left), children(right)
        if len(below[0]) != len(below[1]):
            return False
        pending += zip(*below, strict=True)
    return True


def _head(node: Node) -> object:
    """What a node is, apart from its place and what stands below it."""
    match node:
        case Number(value=value) | String(value=value):
            return value
        case Select(selector=selector, window=window, offset=offset, at=at):
            matchers = tuple((m.label, m.op, m.value) for m in selector.matchers)
            return selector.name, matchers, _span(window), offset, at
        case Subquery(window=window, offset=offset, at=at):
            return _span(window), offset, at
        case Call(name=name):
            return name
        case Aggregate(name=name, grouping=grouping):
            return name, _listed(grouping)
        case Unary(operator=operator):
            return operator.text
        case Binary(name=name, bool=with_bool, matching=matching, group=group):
            return name, with_bool, _listed(matching), _listed(group)
    return None


def _span(window: Window | None) -> object:
    return None if window is None else (window.seconds, window.step)


def _listed(grouping: Grouping | None) -> object:
    return None if grouping is None else (grouping.keyword, grouping.names)


def bare(node: Node) -> Node:
    """A node without the brackets around it."""
    while isinstance(node, Paren):
        node = node.expr
    return node


@lru_cache(maxsize=4096)
def constant(node: Node) -> float | None:
    """The value of an expression of literals only; None where there is anything else, or a division by 0."""
    node = bare(node)
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Unary):
        value = constant(node.expr)
        return -value if value is not None and node.operator.text == "-" else value
    if not isinstance(node, Binary) or node.name not in _ARITHMETIC:
        return None
    left, right = constant(node.lhs), constant(node.rhs)
    if left is None or right is None:
        return None
    try:
        value = _ARITHMETIC[node.name](left, right)
    except (ZeroDivisionError, OverflowError):
        return None
    return value if isinstance(value, float) else None


_ARITHMETIC = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": lambda a, b: float(a) ** b,
}
