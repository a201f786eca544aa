"""promql_parser as a second reader: the only module that calls it. Our tree is used where the two agree on it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gpuobs.promql import nodes
from gpuobs.promql.lexer import Token
from gpuobs.promql.nodes import Node
from gpuobs.promql.refused import Refused

_UNREADABLE = frozenset({"smoothed", "anchored"})
_RENAMED = {"holt_winters": "double_exponential_smoothing"}
_ZERO = re.compile(r"0+(?:ms|[smhdwy])(?:0+(?:ms|[smhdwy]))*")


def disagreement(text: str, stream: tuple[Token, ...], tree: Node) -> Refused | None:
    """Why an expression that our grammar accepts is not used: the parser refuses it, or reads it otherwise.

    A regular expression of RE2 that the parser's engine refuses is shown to it as `.+`: patterns are ours to judge.
    """
    theirs = _parsed(_rewritten(stream, _spelling))
    if isinstance(theirs, str):
        theirs = _parsed(_rewritten(stream, _without_regex))
    if isinstance(theirs, str):
        return _refused(text, stream, theirs)
    return None if _same(tree, theirs) else _refused(text, stream, "it can be read in two ways")


def _same(ours: Node, theirs: Any) -> bool:
    """Whether two trees have the same operators, functions and selectors at the same places."""
    pending = [(ours, theirs)]
    while pending:
        node, other = pending.pop()
        while isinstance(node, nodes.Unary) and node.operator.text == "+":
            node = node.expr  # promql_parser drops it
        kind = type(other).__name__
        if kind == "NumberLiteral" and isinstance(node, nodes.Unary):
            node = _literal(node)  # promql_parser makes one number of it
        if isinstance(node, nodes.Select):
            wanted = "VectorSelector" if node.window is None else "MatrixSelector"
            other = other.vector_selector if kind == "MatrixSelector" else other
            name = getattr(other, "name", None)
            if kind != wanted or (name is not None and name != node.selector.name):
                return False
            continue
        if kind != _KINDS[type(node)] or not _same_head(node, other):
            return False
        below = _children(other)
        if len(below) != len(nodes.children(node)):
            return False
        pending += zip(nodes.children(node), below, strict=True)
    return True


def _literal(node: Node) -> Node:
    while isinstance(node, nodes.Unary):
        node = node.expr
    return node


_KINDS = {
    nodes.Number: "NumberLiteral",
    nodes.String: "StringLiteral",
    nodes.Subquery: "SubqueryExpr",
    nodes.Call: "Call",
    nodes.Aggregate: "AggregateExpr",
    nodes.Unary: "UnaryExpr",
    nodes.Binary: "BinaryExpr",
    nodes.Paren: "ParenExpr",
}


def _same_head(node: Node, other: Any) -> bool:
    if isinstance(node, nodes.Binary | nodes.Aggregate):
        return str(other.op).lower() == node.name
    if isinstance(node, nodes.Call):
        return bool(other.func.name == _RENAMED.get(node.name, node.name))
    return True


def _children(other: Any) -> tuple[Any, ...]:
    kind = type(other).__name__
    if kind == "BinaryExpr":
        return other.lhs, other.rhs
    if kind == "AggregateExpr":
        return (other.expr,) if other.param is None else (other.param, other.expr)
    if kind == "Call":
        return tuple(other.args)
    return (other.expr,) if kind in ("ParenExpr", "UnaryExpr", "SubqueryExpr") else ()


def _parsed(text: str) -> Any:
    """promql_parser's tree, or its words where it refuses the text."""
    import promql_parser

    try:
        return promql_parser.parse(text)
    except (ValueError, UnicodeEncodeError) as problem:
        return str(problem) or "invalid"
    except BaseException as problem:
        # A panic of the Rust parser is no Exception; anything else is not ours to catch.
        if type(problem).__name__ != "PanicException":
            raise
        return "the parser gave up"


def _rewritten(stream: tuple[Token, ...], instead: Callable[[str, Token, str], str | None]) -> str:
    """The tokens with other words for some; the author's offsets are in the tokens, so none are lost.

    `instead` gets what stands before a token, the token, and what stands behind it.
    """
    words = ["", *(token.text for token in stream), ""]
    return " ".join(
        instead(words[index], token, words[index + 2]) or token.text
        for index, token in enumerate(stream)
    )


def _spelling(_: str, token: Token, after: str) -> str | None:
    """What the parser spells otherwise.

    That is raw strings with a backslash, 1_000, .5, `offset 0s`, and a function that only 2.x has.
    """
    kind, text = token.kind, token.text
    if kind == "string" and text[0] == "`" and "\\" in text:
        return _quoted(token.value)
    if kind == "number" and ("_" in text or text[0] == "."):
        return ("0" if text[0] == "." else "") + text.replace("_", "")
    if kind == "duration" and text[0] == "0" and _ZERO.fullmatch(text):
        return "0"
    return _RENAMED.get(text) if after == "(" else None


def _without_regex(before: str, token: Token, after: str) -> str | None:
    if before in ("=~", "!~") and token.kind == "string":
        return '".+"' if before == "=~" else '".*"'
    return _spelling(before, token, after)


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _refused(text: str, stream: tuple[Token, ...], words: str) -> Refused:
    """Why there is no tree of an expression that Prometheus takes, at the word to blame where one is known."""
    blamed = next((token for token in stream if token.text.lower() in _UNREADABLE), None)
    if blamed is not None:
        message = f"gpuobs cannot read the name '{blamed.text}', which newer versions of Prometheus reserve"
        return Refused("promql/unsupported-syntax", message, blamed.start, blamed.end, "rename it")
    reason = words.strip().splitlines()[0] if words.strip() else "no reason given"
    message = f"gpuobs cannot read this expression, though Prometheus can: {reason}"
    start = stream[0].start if stream else 0
    return Refused(
        "promql/unsupported-syntax", message, start, stream[-1].end if stream else len(text), ""
    )
