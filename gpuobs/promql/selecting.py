"""What selects and groups series: braces with matchers, and the label lists of by, on and their like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gpuobs.promql import re2
from gpuobs.promql.cursor import Cursor, dotted, strange, unsupported, wrong
from gpuobs.promql.lexer import Token, bad_escape
from gpuobs.promql.quantity import UNIFIED

# First version that takes names in quotes inside braces; label lists take them from 3.0 on.
_QUOTED_NAMES = (2, 53)
_OPERATORS = frozenset({"=", "!=", "=~", "!~"})
_NO_LABEL = frozenset({"inf", "nan", "without"})
_LABEL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Matcher:
    """One label matcher with its offsets in the author's text, quotes included."""

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


@dataclass(frozen=True, slots=True)
class Grouping:
    """One label list: `keyword` is by, without, on, ignoring, group_left or group_right."""

    keyword: str
    labels: tuple[tuple[str, int, int], ...]
    start: int
    end: int

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(label for label, _, _ in self.labels)


def string(token: Token) -> str:
    """A string token's value."""
    if "\ufffd" in token.text:
        message = "this string has U+FFFD in it, which stands where a character was lost"
        raise wrong(token, message, "write \\ufffd in quotes, if it is meant")
    place = bad_escape(token)
    if place is not None:
        escape = token.text[place[0] - token.start : place[1] - token.start]
        message = f"'{escape}' is no escape sequence"
        raise wrong(
            token._replace(start=place[0]),
            message,
            f"write \\{escape}, or the string in `",
            place[1],
        )
    return token.value


def selector(cursor: Cursor, name: Token | None) -> Selector:
    """A selector whose `{` is next where it has one; `name` was read before."""
    if cursor.token.text != "{" or cursor.token.kind != "bracket":
        assert name is not None
        return Selector(name.text, (), name.start, name.end, name.start, name.end)
    opened = cursor.advance()
    matchers: list[Matcher] = []
    quoted: Token | None = None
    while cursor.token.text != "}":
        matcher = _matcher(cursor, opened)
        if isinstance(matcher, Matcher):
            matchers.append(matcher)
        else:
            quoted = quoted if quoted is not None and quoted.value else matcher
        if cursor.token.text != ",":
            break
        cursor.advance()
    end = cursor.close(opened, "',' or '}' is missing before it").end
    return _whole(name, quoted, opened, tuple(matchers), end)


def _whole(
    name: Token | None, quoted: Token | None, opened: Token, matchers: tuple[Matcher, ...], end: int
) -> Selector:
    named = next((m for m in matchers if m.label == "__name__"), None)
    if name is not None:
        if quoted is not None or named is not None:
            start = (
                quoted.start if quoted is not None else named.label_start if named else opened.start
            )
            stop = quoted.end if quoted is not None else named.value_end if named else end
            message = f"the metric's name is set twice: '{name.text}' stands before the braces"
            raise wrong(opened._replace(start=start), message, "keep one of them", stop)
        return Selector(name.text, matchers, name.start, end, name.start, name.end)
    if quoted is not None and quoted.value:
        return Selector(quoted.value, matchers, opened.start, end, quoted.start, quoted.end)
    if not any(_selects(matcher) for matcher in matchers):
        message = "this selects every series: one matcher must refuse an empty value"
        raise wrong(opened, message, "name the metric before the braces", end)
    if named is not None and named.op == "=":
        return Selector(
            named.value, matchers, opened.start, end, named.value_start, named.value_end
        )
    return Selector("", matchers, opened.start, end, opened.start, opened.start)


def _matcher(cursor: Cursor, opened: Token) -> Matcher | Token:
    """A matcher, or a metric's name in quotes."""
    label = cursor.token
    if label.kind not in ("word", "string") or (label.kind == "word" and ":" in label.text):
        strange(label)
        if label.kind in ("end", "bracket"):
            cursor.close(opened)
        raise wrong(label, f"'{label.text}' is no label name", 'write label="value"')
    name = _name(cursor, label, _QUOTED_NAMES)
    operator = cursor.token
    if operator.text not in _OPERATORS or operator.kind != "operator":
        if label.kind == "string" and (operator.text in ("}", ",") or operator.kind == "end"):
            return label
        _no_operator(label, operator)
    cursor.advance()
    value = cursor.token
    if value.kind != "string":
        strange(value)
        if value.kind in ("word", "number", "duration"):
            raise wrong(value, "a label's value is not in quotes", f'write "{value.text}"')
        raise wrong(
            operator,
            f"'{operator.text}' needs a value in quotes",
            f'{label.text}{operator.text}"value"',
        )
    cursor.advance()
    text = string(value)
    if operator.text in ("=~", "!~"):
        _regex(cursor, value, text)
    return Matcher(name, operator.text, text, label.start, label.end, value.start, value.end)


def _no_operator(label: Token, operator: Token) -> None:
    strange(operator)
    if operator.text == "==":
        raise wrong(operator, "'==' compares numbers; a label is matched with '='", "use '='")
    if operator.kind == "operator":
        raise wrong(operator, f"'{operator.text}' matches no label", "use =, !=, =~ or !~")
    message = f"'{label.text}' needs an operator and a value"
    raise wrong(label, message, f'write {label.text}="value"')


def _regex(cursor: Cursor, token: Token, pattern: str) -> None:
    if not token.is_unicode:
        raise wrong(token, "Prometheus cannot compile this regular expression: it is not UTF-8")
    problem = re2.problem(pattern, cursor.version)
    if problem:
        raise wrong(token, f"Prometheus cannot compile this regular expression: {problem}")


def _name(cursor: Cursor, token: Token, since: tuple[int, int]) -> str:
    """The label at the cursor, which moves on."""
    cursor.advance()
    if token.kind != "string":
        return token.text
    name = string(token)
    if cursor.version < since:
        message = f"a name in quotes needs Prometheus {dotted(since)}, and {dotted(cursor.version)} is declared"
        raise unsupported(
            token, message, f"write {name}" if _LABEL.fullmatch(name) else "use a plain name"
        )
    return name


def _selects(matcher: Matcher) -> bool:
    """Whether a matcher refuses series that lack its label."""
    if matcher.op in ("=", "!="):
        return bool(matcher.value) == (matcher.op == "=")
    return re2.matches_empty(matcher.value) == (matcher.op == "!~")


def grouping(cursor: Cursor, keyword: Token) -> Grouping:
    """The label list behind a keyword, which was read before."""
    opened = cursor.token
    if opened.text != "(" or opened.kind != "bracket":
        strange(opened)
        raise wrong(
            keyword, f"'{keyword.text}' needs its labels in brackets", f"write {keyword.text} (...)"
        )
    cursor.advance()
    labels = tuple(_labels(cursor))
    hint = "',' or ')' is missing before it"
    if keyword.text.lower() in ("group_left", "group_right"):
        hint = f"the first brackets hold labels: write {keyword.text} () (...)"
    end = cursor.close(opened, hint).end
    return Grouping(keyword.text.lower(), labels, keyword.start, end)


def _labels(cursor: Cursor) -> Iterator[tuple[str, int, int]]:
    while cursor.token.text != ")":
        token = cursor.token
        if token.kind not in ("word", "string") or token.text.lower() in _NO_LABEL:
            strange(token)
            if token.kind == "end":
                return
            raise wrong(token, f"'{token.text}' is no label name")
        if token.kind == "word" and ":" in token.text:
            if cursor.version < UNIFIED:
                raise wrong(token, f"'{token.text}' is no label name: it has a colon")
            raise unsupported(
                token,
                f"the label '{token.text}' has a colon, which gpuobs cannot read",
                "rename it",
            )
        name = _name(cursor, token, UNIFIED)
        if not name or not token.is_unicode:
            raise wrong(token, f"{token.text} is no label name")
        yield name, token.start, token.end
        if cursor.token.text != ",":
            return
        cursor.advance()
