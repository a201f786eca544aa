"""The parts of an expression that operators and functions take, and which types they take."""

from __future__ import annotations

from dataclasses import dataclass

from gpuobs.promql.cursor import wrong
from gpuobs.promql.functions import MATRIX, SCALAR, STRING, VECTOR, names
from gpuobs.promql.lexer import Token
from gpuobs.promql.nodes import Binary, Node, Select, Unary
from gpuobs.promql.selecting import Grouping

COMPARISONS = names("== != < > <= >=")
SETS = frozenset({"and", "or", "unless"})
ARTICLE = {
    VECTOR: "an instant vector",
    SCALAR: "a scalar",
    STRING: "a string",
    MATRIX: "a range vector",
}


@dataclass(frozen=True, slots=True)
class Operand:
    """A part of the expression: its type and its tree; `at` is how `@` fixes its time, if it does."""

    type: str
    node: Node
    at: str = ""

    @property
    def start(self) -> int:
        return self.node.start

    @property
    def end(self) -> int:
        return self.node.end


@dataclass(frozen=True, slots=True)
class Operator:
    token: Token
    power: int
    sign: bool = False
    bool: Token | None = None
    matching: Grouping | None = None
    group: Grouping | None = None

    @property
    def name(self) -> str:
        return self.token.text.lower()


def are(count: int) -> str:
    return "is 1" if count == 1 else f"are {count or 'none'}"


def miscounted(name: Token, arguments: list[Operand], wanted: int, message: str) -> None:
    """Refuses at the first argument too many, or at the name where there are too few."""
    told = f"{message}, and here {are(len(arguments))}"
    if len(arguments) > wanted:
        extra = arguments[wanted]
        raise wrong(name._replace(start=extra.start), told, "remove the rest", arguments[-1].end)
    raise wrong(name, told)


def expect(argument: Operand, wanted: str, name: Token) -> None:
    if argument.type == wanted:
        return
    hint = ""
    if wanted == MATRIX and argument.type == VECTOR:
        hint = (
            "add a range, such as [5m]"
            if isinstance(argument.node, Select)
            else "write a subquery, such as [5m:1m]"
        )
    elif wanted == VECTOR and argument.type == MATRIX:
        hint = "aggregate the range first, such as rate() or avg_over_time()"
    elif wanted == VECTOR and argument.type == SCALAR:
        hint = "vector() makes a vector of a scalar"
    message = f"'{name.text}' wants {ARTICLE[wanted]} here, and this is {ARTICLE[argument.type]}"
    raise wrong(name._replace(start=argument.start), message, hint, argument.end)


def apply(operator: Operator, operands: list[Operand]) -> None:
    """Puts the result of an operator in the place of its operands."""
    right = operands.pop()
    if operator.sign:
        _computable(right, operator)
        sign = Unary(operator.token.start, right.end, operator.token, right.node)
        operands.append(Operand(right.type, sign))
        return
    left = operands.pop()
    _computable(left, operator)
    _computable(right, operator)
    name = operator.name
    scalars = (left.type == SCALAR) + (right.type == SCALAR)
    if operator.bool is not None and name not in COMPARISONS:
        raise wrong(
            operator.bool, f"'bool' belongs to a comparison, and '{name}' is none", "remove it"
        )
    if name in COMPARISONS and scalars == 2 and operator.bool is None:
        raise wrong(
            operator.token, "two scalars are only compared with 'bool'", f"write {name} bool"
        )
    if name in SETS and scalars:
        number = left if left.type == SCALAR else right
        message = f"'{name}' joins series, and this is a scalar"
        raise wrong(
            operator.token._replace(start=number.start),
            message,
            "vector() makes a series of it",
            number.end,
        )
    _match(operator, scalars)
    node = Binary(
        left.start,
        right.end,
        operator.token,
        left.node,
        right.node,
        operator.bool is not None,
        operator.matching,
        operator.group,
    )
    operands.append(Operand(SCALAR if scalars == 2 else VECTOR, node))


def _computable(operand: Operand, operator: Operator) -> None:
    if operand.type in (MATRIX, STRING):
        hint = (
            "aggregate it first, such as rate() or avg_over_time()"
            if operand.type == MATRIX
            else ""
        )
        message = f"'{operator.token.text}' computes with instant vectors and scalars, and this is {ARTICLE[operand.type]}"
        raise wrong(operator.token._replace(start=operand.start), message, hint, operand.end)


def _match(operator: Operator, scalars: int) -> None:
    matching, group = operator.matching, operator.group
    if matching is None:
        return
    at = operator.token
    if scalars and matching.labels:
        message = f"'{matching.keyword}' joins series, and one side is a scalar"
        raise wrong(at._replace(start=matching.start), message, "remove it", matching.end)
    if group is None:
        return
    if operator.name in SETS and not scalars:
        message = f"'{operator.name}' takes no '{group.keyword}'"
        raise wrong(at._replace(start=group.start), message, "remove it", group.end)
    if matching.keyword == "on":
        joined = {label for label, _, _ in matching.labels}
        for label, start, end in group.labels:
            if label in joined:
                message = f"'{label}' stands in 'on' and in '{group.keyword}'"
                raise wrong(
                    at._replace(start=start), message, f"remove it from {group.keyword}", end
                )
