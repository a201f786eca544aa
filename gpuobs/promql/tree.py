"""promql_parser's tree of an expression that the grammar accepted: the only module that calls the parser."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gpuobs.promql.lexer import Token
from gpuobs.promql.refused import Refused

_UNREADABLE = frozenset({"smoothed", "anchored"})
_ZERO = re.compile(r"0+(?:ms|[smhdwy])(?:0+(?:ms|[smhdwy]))*")


def build(text: str, stream: tuple[Token, ...]) -> Any:
    """The tree, or a `Refused` where the parser cannot read what Prometheus can.

    A regular expression of RE2 that the parser's engine refuses stands in the tree as `.+`: a pattern's text is
    taken from the selectors, never from the tree.
    """
    built = _parsed(_rewritten(stream, _spelling))
    if isinstance(built, str):
        built = _parsed(_rewritten(stream, _without_regex))
    return _refused(text, stream, built) if isinstance(built, str) else built


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
    if text == "holt_winters" and after == "(":
        return "double_exponential_smoothing"
    return None


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
