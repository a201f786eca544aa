"""The parser's tree by its attributes. Its own walk clones every subtree, and its `str` changes meaning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gpuobs.promql.lexer import Token

_MATCH_OPERATORS = {"Equal": "=", "NotEqual": "!=", "Re": "=~", "NotRe": "!~"}


@dataclass(frozen=True, slots=True)
class Matcher:
    """One label matcher with its offsets in the author's text."""

    label: str
    op: str
    value: str
    label_start: int
    label_end: int
    value_start: int
    value_end: int


@dataclass(frozen=True, slots=True)
class Selector:
    """One selector as it stands in the text: name, then braces; the range is not part of it."""

    name: str
    matchers: tuple[Matcher, ...]
    start: int
    end: int
    name_start: int
    name_end: int


def kind(node: Any) -> str:
    return type(node).__name__


def operator(node: Any) -> str:
    """A binary operator or an aggregation by name, in lower case."""
    return str(node.op).lower()


def matcher_operator(matcher: Any) -> str:
    return _MATCH_OPERATORS[str(matcher.op).rpartition(".")[2]]


def children(node: Any) -> tuple[Any, ...]:
    """The nodes directly below a node, in the order of the text where it matters."""
    name = kind(node)
    if name == "BinaryExpr":
        return node.lhs, node.rhs
    if name == "AggregateExpr":
        return (node.expr,) if node.param is None else (node.param, node.expr)
    if name == "Call":
        return tuple(node.args)
    if name in ("ParenExpr", "UnaryExpr", "SubqueryExpr"):
        return (node.expr,)
    if name == "MatrixSelector":
        return (node.vector_selector,)
    return ()


def walk(node: Any) -> Iterator[Any]:
    """Every node below and with a node, parents first."""
    yield node
    for child in children(node):
        yield from walk(child)


def selectors_in(stream: tuple[Token, ...], words: frozenset[str]) -> Iterator[Selector]:
    """Selectors among the tokens of an expression that was parsed: names that are no function, and braces."""
    index = 0
    labels_until = -1
    while index < len(stream):
        token = stream[index]
        after = stream[index + 1] if index + 1 < len(stream) else None
        if token.kind == "word" and token.text.lower() in _GROUPING and after and after.text == "(":
            labels_until = next(
                (i for i in range(index, len(stream)) if stream[i].text == ")"), len(stream)
            )
            index = labels_until + 1
            continue
        if token.text == "{":
            selector, index = _braces(stream, index, None)
            yield selector
            continue
        if token.kind == "word" and not _is_word(token, after, stream[index - 1] if index else None, words):
            if after is not None and after.text == "{":
                selector, index = _braces(stream, index + 1, token)
                yield selector
                continue
            yield Selector(token.text, (), token.start, token.end, token.start, token.end)
        index += 1


_GROUPING = frozenset({"by", "without", "on", "ignoring", "group_left", "group_right"})


def _is_word(token: Token, after: Token | None, before: Token | None, words: frozenset[str]) -> bool:
    """Whether a word is a function, an aggregation or a keyword here, and not a metric."""
    word = token.text.lower()
    if before is not None and before.text == "@":
        return True
    if after is not None and (after.text == "(" or after.text.lower() in ("by", "without")):
        return True
    return word in words


def _braces(stream: tuple[Token, ...], index: int, name: Token | None) -> tuple[Selector, int]:
    """A selector whose `{` stands at `index`; the index after its `}`."""
    matchers: list[Matcher] = []
    position = index + 1
    quoted: Token | None = None
    while position < len(stream) and stream[position].text != "}":
        token = stream[position]
        following = stream[position + 1] if position + 1 < len(stream) else None
        if following is not None and following.kind == "operator" and position + 2 < len(stream):
            value = stream[position + 2]
            matchers.append(
                Matcher(
                    token.value, following.text, value.value, token.start, token.end, value.start, value.end
                )
            )
            position += 3
        else:
            quoted = token if token.kind == "string" else quoted
            position += 1
    end = stream[position].end if position < len(stream) else stream[-1].end
    start = (name or stream[index]).start
    text = name.text if name else (quoted.value if quoted else _named(matchers))
    name_end = name.end if name else stream[index].start
    return Selector(text, tuple(matchers), start, end, start, name_end), position + 1


def _named(matchers: list[Matcher]) -> str:
    return next((m.value for m in matchers if m.label == "__name__" and m.op == "="), "")
