"""A change of one place of an expression's text, which is what every operator on expressions yields."""

from __future__ import annotations

from typing import NamedTuple

from gpuobs.promql.nodes import Binary, Node


class Edit(NamedTuple):
    """`text` takes the place of what stands between two offsets; `node` is what changes its meaning.

    `place` is what to point at. `said` says the change in words.
    """

    operator: str
    start: int
    end: int
    text: str
    place: tuple[int, int]
    said: str
    node: Node

    def applied(self, expr: str) -> str:
        return expr[: self.start] + self.text + expr[self.end :]


def replaced(operator: str, expr: str, span: tuple[int, int], text: str, node: Node) -> Edit:
    """An edit that says what becomes of what."""
    said = f"'{_short(expr[slice(*span)])}' becomes '{_short(text)}'"
    return Edit(operator, *span, text, span, said, node)


def operand(expr: str, node: Node) -> str:
    """A node's text, in brackets where another operator beside it could take it apart."""
    text = expr[node.start : node.end]
    return f"({text})" if isinstance(node, Binary) else text


def number(value: float) -> str:
    """A number as an author would write it."""
    return repr(int(value)) if value == int(value) else f"{value:.12g}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:28]} ... {line[-27:]}"
