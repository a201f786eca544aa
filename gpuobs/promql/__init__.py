"""The one door to PromQL: text to a parsed expression, or to the reason why not, with offsets into the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from gpuobs.promql import functions, guard, labels, mistakes
from gpuobs.promql.labels import LabelsOf
from gpuobs.promql.lexer import Token, tokens
from gpuobs.promql.refused import Refused
from gpuobs.promql.walk import Matcher, Selector, kind, matcher_operator, operator, selectors_in, walk

__all__ = [
    "Matcher",
    "Parsed",
    "Refused",
    "Selector",
    "Token",
    "kind",
    "matcher_operator",
    "operator",
    "parse",
    "possible_labels",
    "selectors",
    "value_type",
    "walk",
]

OLDEST = (2, 42)
_KEYWORDS = functions.KEYWORDS | {"start", "end"}


@dataclass(frozen=True, slots=True)
class Parsed:
    """A valid expression: the author's text, its tokens and the parser's tree."""

    text: str
    tokens: tuple[Token, ...]
    tree: Any = field(compare=False, repr=False)


@lru_cache(maxsize=32768)
def parse(text: str, version: tuple[int, int] = OLDEST) -> Parsed | Refused:
    """The expression as Prometheus of this version or newer reads it, or why it does not."""
    stream = tokens(text)
    refused = guard.too_complex(text, stream)
    if refused is not None:
        return refused
    tree = _tree(_rewritten(text, stream))
    if isinstance(tree, str):
        removed = {name for name, since in functions.REMOVED.items() if version < since}
        unknown = next((name for name in removed if f"'{name}'" in tree), None)
        if unknown is not None:
            tree = _tree(_rewritten(text, stream).replace(f"{unknown}(", "double_exponential_smoothing("))
    newer = next(guard.beyond(stream, version), None)
    if isinstance(tree, str):
        return next(mistakes.found(text), None) or newer or mistakes.fallback(text, tree)
    return newer or _unusable(text, tree) or Parsed(text, stream, tree)


def _tree(text: str) -> Any:
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


def _rewritten(text: str, stream: tuple[Token, ...]) -> str:
    """The text with what the parser cannot read though Prometheus can, in other words.

    Raw strings with a backslash become escaped ones, and regular expressions of RE2 alone become one that both know.
    """
    parts, position = [], 0
    for index, token in enumerate(stream):
        if token.kind != "string":
            continue
        regex = index > 0 and stream[index - 1].text in ("=~", "!~")
        if regex and _only_re2(token.value):
            replacement = '".+"'
        elif token.text[0] == "`" and "\\" in token.text:
            escaped = token.value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            replacement = f'"{escaped}"'
        else:
            continue
        parts += [text[position : token.start], replacement]
        position = token.end
    return "".join([*parts, text[position:]]) if parts else text


def _only_re2(pattern: str) -> bool:
    """Whether the pattern has something that RE2 reads and the parser's engine refuses."""
    import re

    return bool(re.search(r"\\Q|\\[0-7]|\[\[|\[[^\]]*\[|\{\{|\[\\[dws]-|(?:\(\?P?<\w+>.*){2}", pattern))


def _unusable(text: str, tree: Any) -> Refused | None:
    """A rule must give a vector or a number: a range or a text fails at every evaluation."""
    name = kind(tree)
    while name == "ParenExpr":
        tree = tree.expr
        name = kind(tree)
    if name in ("MatrixSelector", "SubqueryExpr"):
        hint = "apply a function such as rate() or max_over_time()"
        return Refused("promql/syntax", "a range of samples is no result", 0, len(text), hint)
    if name == "StringLiteral":
        return Refused("promql/syntax", "a text is no result", 0, len(text), "")
    return None


@lru_cache(maxsize=32768)
def selectors(parsed: Parsed) -> tuple[Selector, ...]:
    """Every selector of the expression, in the order of the text."""
    return tuple(selectors_in(parsed.tokens, _KEYWORDS))


def possible_labels(parsed: Parsed, labels_of: LabelsOf) -> frozenset[str] | None:
    """Labels that the result's series can have, never too few; None where that is not known."""
    return labels.possible(parsed.tree, labels_of)


def value_type(parsed: Parsed) -> str:
    """`scalar` or `vector`."""
    return "scalar" if labels.is_scalar(parsed.tree) else "vector"
