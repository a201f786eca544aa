"""What the parser must not see, and what it accepts though Prometheus refuses it. One scan over the tokens."""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.promql import functions, re2
from gpuobs.promql.lexer import Token
from gpuobs.promql.refused import Refused

# The parser takes memory with the square of the depth and dies of deep nesting; no rule that a person reads is
# near these bounds.
MAX_LENGTH = 32 * 1024
MAX_NESTING = 100
MAX_OPERATORS = 300
MAX_UNARY = 20
# Prometheus counts durations in nanoseconds in a signed 64-bit integer.
_MAX_SECONDS = 2**63 / 1e9
_GROUPING = frozenset({"by", "without", "on", "ignoring", "group_left", "group_right"})
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 31536000}


def too_complex(text: str, stream: tuple[Token, ...]) -> Refused | None:
    """Why an expression must not reach the parser."""
    hint = "record parts of it as rules of their own"
    if len(text) > MAX_LENGTH:
        return _complex(f"longer than {MAX_LENGTH} characters", 0, len(text), hint)
    depth = operators = unary = 0
    for token in stream:
        if token.kind == "bracket":
            depth += 1 if token.text in "([{" else -1
        elif token.kind == "operator" or token.text.lower() in ("and", "or", "unless"):
            operators += 1
        unary = unary + 1 if token.text in ("-", "+") else 0
        if depth > MAX_NESTING:
            return _complex(f"nested deeper than {MAX_NESTING}", token.start, token.end, hint)
        if operators > 2 * MAX_OPERATORS:
            return _complex(f"more than {MAX_OPERATORS} operators", token.start, token.end, hint)
        if unary > MAX_UNARY:
            return _complex("too many signs in a row", token.start, token.end, "keep one")
    return None


def _complex(message: str, start: int, end: int, hint: str) -> Refused:
    return Refused("promql/too-complex", f"this expression is {message}", start, end, hint)


def beyond(stream: tuple[Token, ...], version: tuple[int, int]) -> Iterator[Refused]:
    """What Prometheus at this version, or any that we know, does not accept."""
    inside: list[str] = []
    for index, token in enumerate(stream):
        before = stream[index - 1] if index else None
        after = stream[index + 1] if index + 1 < len(stream) else None
        if token.kind == "bracket":
            if token.text in "([{":
                inside.append(token.text)
                if before is not None and before.text.lower() in _GROUPING:
                    inside[-1] = "labels"
            elif inside:
                inside.pop()
        elif token.kind == "word" and after is not None and after.text == "(":
            yield from _function(token, version)
        elif token.kind == "duration":
            yield from _duration(token, before, inside, version)
        elif token.kind == "number" and inside and inside[-1] == "[":
            yield from _number_as_duration(token, version)
        elif token.kind == "number" and before is not None and before.text.lower() == "offset":
            yield from _number_as_duration(token, version)
        elif token.kind == "string":
            yield from _string(token, before, inside, version)


def _unsupported(token: Token, message: str, hint: str = "") -> Refused:
    return Refused("promql/unsupported-syntax", message, token.start, token.end, hint)


def _function(token: Token, version: tuple[int, int]) -> Iterator[Refused]:
    name = token.text.lower()
    declared = f"{version[0]}.{version[1]}"
    if name in functions.SINCE and version < functions.SINCE[name]:
        since = ".".join(map(str, functions.SINCE[name]))
        message = f"'{name}' needs Prometheus {since}, and the fleet declares {declared}"
        yield _unsupported(token, message, f"prometheusVersion: '{since}'")
    elif name in functions.REMOVED and version >= functions.REMOVED[name]:
        yield _unsupported(token, f"Prometheus {declared} no longer has '{name}'")
    elif name in functions.EXPERIMENTAL | functions.EXPERIMENTAL_AGGREGATIONS:
        yield _unsupported(token, f"'{name}' is experimental: Prometheus refuses it by default")
    elif name in functions.NEWER:
        yield _unsupported(token, f"'{name}' is in no Prometheus up to 3.5")


def _duration(
    token: Token, before: Token | None, inside: list[str], version: tuple[int, int]
) -> Iterator[Refused]:
    used = (inside and inside[-1] == "[") or (before is not None and before.text == "offset")
    after_sign = before is not None and before.text in ("-", "+")
    if not used and not after_sign and version < (3, 0):
        message = f"'{token.text}' is a duration where Prometheus before 3.0 wants a number"
        yield _unsupported(token, message, f"write {_number(_seconds(token.text))}")
    elif used and not 0 < _seconds(token.text) < _MAX_SECONDS:
        if not (version >= (3, 0) and before is not None and before.text == "offset" and _seconds(token.text) == 0):
            message = f"'{token.text}' is out of range for a duration"
            yield Refused("promql/syntax", message, token.start, token.end, "such as 5m")


def _seconds(text: str) -> float:
    import re

    return sum(int(count) * _SECONDS[unit] for count, unit in re.findall(r"([0-9]+)(ms|[smhdwy])", text))


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)


def _number_as_duration(token: Token, version: tuple[int, int]) -> Iterator[Refused]:
    if version < (3, 0):
        message = f"'{token.text}' is a number where Prometheus before 3.0 wants a duration"
        yield _unsupported(token, message, f"write {token.text}s")
    elif float(int(token.text, 16) if token.text.lower().startswith("0x") else token.text) <= 0:
        yield Refused("promql/syntax", "a range must be longer than 0", token.start, token.end, "")


def _string(
    token: Token, before: Token | None, inside: list[str], version: tuple[int, int]
) -> Iterator[Refused]:
    if before is not None and before.text in ("=~", "!~"):
        problem = re2.problem(token.value, version)
        if problem:
            message = f"Prometheus cannot compile this regular expression: {problem}"
            yield Refused("promql/syntax", message, token.start, token.end, "")
    in_braces = bool(inside) and inside[-1] == "{"
    if inside and inside[-1] == "labels" and version < (3, 0):
        yield _unsupported(token, "quoted label names need Prometheus 3.0", "use a plain name")
    if in_braces and before is not None and before.text in ("{", ",") and version < (2, 53):
        yield _unsupported(token, "quoted names need Prometheus 2.53", "use a plain name")
