"""Numbers and durations as Prometheus reads them, and where each of its versions takes which."""

from __future__ import annotations

import re

from gpuobs.promql.cursor import Cursor, dotted, strange, unsupported, wrong
from gpuobs.promql.lexer import Token

# Numbers and durations stand for each other, and 1_000 is a number, from this version on.
UNIFIED = (3, 0)
# Durations are nanoseconds in a signed 64-bit integer; a time in seconds must fit into one too.
_MAX_SECONDS = 2**63 / 1e9
_MAX_TIME = 2.0**63
_SECONDS = {
    "ms": 0.001,
    "s": 1.0,
    "m": 60.0,
    "h": 3600.0,
    "d": 86400.0,
    "w": 604800.0,
    "y": 31536000.0,
}
# A hexadecimal number that 3.x takes for the start of a longer one, which then is none.
_EXPONENT = re.compile(r"0x(?:_?[0-9a-f]e(?:[-+._e]|\Z)|[0-9a-f_]*_e)", re.IGNORECASE)
# Up to 2**63, as Go reads integers; what is larger, or has an 8 or 9, it reads as a decimal number.
_OCTAL = re.compile(r"0+[0-7]{1,21}")
_PARTS = re.compile(r"([0-9]+)(ms|[smhdwy])")
_IN_ORDER = re.compile(
    r"(?:[0-9]+y)?(?:[0-9]+w)?(?:[0-9]+d)?(?:[0-9]+h)?(?:[0-9]+m)?(?:[0-9]+s)?(?:[0-9]+ms)?"
)


def seconds(token: Token) -> float:
    """A duration token in seconds; units must fall and stand once each."""
    if not _IN_ORDER.fullmatch(token.text):
        raise wrong(
            token,
            f"the units of '{token.text}' are not in falling order, each once",
            "such as 1h30m",
        )
    return sum(float(count) * _SECONDS[unit] for count, unit in _PARTS.findall(token.text))


def number(cursor: Cursor, token: Token) -> float:
    """A number token's value."""
    text = token.text.replace("_", "")
    if text != token.text and cursor.version < UNIFIED:
        message = f"'{token.text}' needs Prometheus 3.0, and {dotted(cursor.version)} is declared"
        raise unsupported(token, message, f"write {text}")
    hexadecimal = text[:2].lower() == "0x"
    octal = _OCTAL.fullmatch(text)
    value: float = int(text, 16) if hexadecimal else int(text, 8) if octal else float(text)
    if value == float("inf") or (hexadecimal and value >= 2**63):
        raise wrong(token, f"'{token.text}' is too large a number")
    if cursor.version >= UNIFIED and _EXPONENT.match(cursor.text, token.start):
        message = f"Prometheus takes the 'e' in '{token.text}' for an exponent"
        raise wrong(token, message, f"write {value}")
    return float(value)


def scalar(cursor: Cursor) -> float:
    """A number, or where the version allows it a duration, in the place of a value."""
    token = cursor.advance()
    if token.kind == "number":
        return number(cursor, token)
    value = seconds(token)
    if cursor.version < UNIFIED:
        message = f"'{token.text}' is a duration where Prometheus before 3.0 wants a number"
        raise unsupported(token, message, f"write {plain(value)}")
    _in_range(token, value)
    return value


def duration(cursor: Cursor, in_brackets: bool = True) -> float:
    """A duration, or where the version allows it a number of seconds, in the place of a duration."""
    token = cursor.token
    if token.kind == "number":
        after = cursor.following()
        if after.kind == "word" and after.text[0] in "smhdwy":
            _spelt(cursor)
        value = number(cursor, cursor.advance())
        if cursor.version < UNIFIED:
            message = f"'{token.text}' is a number where Prometheus before 3.0 wants a duration"
            raise unsupported(token, message, f"write {token.text}s")
    elif token.kind == "duration":
        value = seconds(cursor.advance())
        _no_second(cursor, token, in_brackets)
    else:
        strange(token)
        if token.text == "-":
            raise wrong(token, "a duration here cannot be negative", "remove the sign")
        if token.text == "]":
            raise wrong(token, "a duration is missing before ']'", "such as 5m")
        if token.kind in ("end", "bracket"):
            raise cursor.unexpected("a duration is missing, such as 5m")
        raise wrong(token, f"'{token.text}' is no duration", "such as 5m or 1h30m")
    if value == 0 and (in_brackets or cursor.version < UNIFIED):
        raise wrong(token, "a duration must be longer than 0", "such as 5m")
    _in_range(token, value)
    return value


def _no_second(cursor: Cursor, token: Token, in_brackets: bool) -> None:
    after = cursor.token
    if after.kind in ("duration", "number"):
        written = token.text + after.text
        raise wrong(
            token, f"'{token.text} {after.text}' is no duration", f"write {written}", after.end
        )
    if in_brackets and after.kind == "operator" and after.text in "+-*/%^":
        message = "arithmetic on durations is experimental: Prometheus refuses it by default"
        raise unsupported(after, message, "write the result")


def _spelt(cursor: Cursor) -> None:
    number_token, unit = cursor.token, cursor.following()
    written = f"{number_token.text} {unit.text}"
    short = "ms" if unit.text.startswith("mil") or unit.text == "ms" else unit.text[0]
    raise wrong(
        number_token, f"'{written}' is no duration", f"write {number_token.text}{short}", unit.end
    )


def _in_range(token: Token, value: float) -> None:
    if not abs(value) < _MAX_SECONDS:
        raise wrong(
            token, f"'{token.text}' is longer than Prometheus can count (292 years)", "such as 5m"
        )


def offset(cursor: Cursor) -> float:
    """What follows `offset`, in seconds; below 0 it looks ahead."""
    direction = 1
    if cursor.token.text in ("-", "+"):
        sign = cursor.advance()
        direction = -1 if sign.text == "-" else 1
        if sign.text == "+" and cursor.version < UNIFIED:
            raise wrong(sign, "an offset takes no '+' before Prometheus 3.0", "remove it")
    return direction * duration(cursor, in_brackets=False)


def time(cursor: Cursor) -> None:
    """What follows `@`: seconds since 1970, `start()` or `end()`."""
    first = cursor.token
    if first.kind == "word" and first.text.lower() in ("start", "end"):
        cursor.advance()
        if cursor.token.text != "(":
            raise wrong(first, f"'{first.text}' lacks its brackets", f"write {first.text}()")
        cursor.close(cursor.advance())
        return
    if cursor.token.text in ("-", "+"):
        cursor.advance()
    token = cursor.token
    if token.kind == "number":
        value = number(cursor, cursor.advance())
    elif token.kind == "duration":
        scalar(cursor)
        return
    elif token.text.lower() in ("inf", "nan"):
        value = float("inf")
    else:
        strange(token)
        message = "'@' needs a time: seconds since 1970, start() or end()"
        raise wrong(
            first if token.kind != "end" else cursor.previous() or token, message, "@ end()"
        )
    if not value < _MAX_TIME:
        raise wrong(token, f"'{token.text}' is no time that Prometheus can count")


def plain(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)
