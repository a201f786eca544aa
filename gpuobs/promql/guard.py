"""What must not reach the parser: one scan over the tokens."""

from __future__ import annotations

from gpuobs.promql.functions import names
from gpuobs.promql.lexer import Token
from gpuobs.promql.refused import Refused

# The parser takes memory with the square of the depth and dies of deep nesting; no rule that a person reads is
# near these bounds.
MAX_LENGTH = 32 * 1024
MAX_NESTING = 100
MAX_OPERATORS = 300
MAX_UNARY = 20
_OPERATORS = names("+ - * / % ^ == != < > <= >= and or unless atan2")


def too_long(text: str) -> Refused | None:
    """Why a text is not even read as tokens."""
    if len(text) <= MAX_LENGTH:
        return None
    return _complex(f"longer than {MAX_LENGTH} characters", MAX_LENGTH, len(text))


def too_complex(stream: tuple[Token, ...]) -> Refused | None:
    """Why an expression must not reach the parser. Matchers are not counted: `=` and `!=` in braces are no operators."""
    depth = operators = unary = braces = 0
    for token in stream:
        text = token.text
        if token.kind == "bracket":
            step = 1 if text in "([{" else -1
            depth += step
            braces += step if text in "{}" else 0
            if depth > MAX_NESTING:
                return _complex(f"nested deeper than {MAX_NESTING}", token.start, token.end)
        elif not braces and token.kind in ("operator", "word") and text.lower() in _OPERATORS:
            operators += 1
            if operators > MAX_OPERATORS:
                return _complex(f"longer than {MAX_OPERATORS} operators", token.start, token.end)
            unary = unary + 1 if text in "+-" else 0
            if unary > MAX_UNARY:
                return _complex(
                    f"written with more than {MAX_UNARY} signs in a row", token.start, token.end
                )
            continue
        unary = 0
    return None


def _complex(message: str, start: int, end: int) -> Refused:
    hint = "record parts of it as rules of their own"
    return Refused("promql/too-complex", f"this expression is {message}", start, end, hint)
