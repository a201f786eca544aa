"""Where an expression breaks: the token that a parser without positions cannot point at."""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.promql import functions
from gpuobs.promql.lexer import Token, tokens
from gpuobs.promql.refused import Refused

_CLOSES = {")": "(", "]": "[", "}": "{"}
_OPENS = {"(": ")", "[": "]", "{": "}"}
_BINARY_WORDS = frozenset({"and", "or", "unless", "atan2"})
_MODIFIERS = frozenset({"by", "without", "on", "ignoring", "group_left", "group_right"})


def found(text: str) -> Iterator[Refused]:
    """What is certainly wrong, the most telling first."""
    stream = tokens(text)
    if not stream:
        yield _at(text, None, "an empty expression")
        return
    yield from _strange(text, stream)
    yield from _brackets(text, stream)
    yield from _calls(text, stream)
    yield from _order(text, stream)


def fallback(text: str, message: str) -> Refused:
    """A mistake that nothing above found: the whole expression, in the parser's words."""
    words = message.strip().splitlines()[0] if message.strip() else "invalid expression"
    return Refused("promql/syntax", f"this is no PromQL: {words}", 0, len(text), "")


def _at(text: str, token: Token | None, message: str, hint: str = "") -> Refused:
    start, end = (token.start, token.end) if token else (0, len(text))
    return Refused("promql/syntax", message, start, max(end, start + 1), hint)


def _strange(text: str, stream: tuple[Token, ...]) -> Iterator[Refused]:
    for index, token in enumerate(stream):
        following = stream[index + 1] if index + 1 < len(stream) else None
        if token.kind == "variable":
            message = f"'{token.text}' is a dashboard variable, and a rule has none"
            yield _at(text, token, message, "write the value")
        elif token.kind != "error":
            continue
        elif token.text[0] in "\"'`":
            yield _at(text, token, "this string is not closed", f"close it with {token.text[0]}")
        elif token.text in "\u201c\u201d\u2018\u2019":
            yield _at(text, token, f"'{token.text}' is a typographic quote", 'use "')
        elif token.text in "&|" and following is not None and following.text == token.text:
            word = "and" if token.text == "&" else "or"
            yield _at(text, token, f"PromQL has no '{token.text * 2}'", f"use '{word}'")
        elif token.text in "&|":
            yield _at(text, token, f"PromQL has no '{token.text}'", "use 'and' or 'or'")
        else:
            yield _at(text, token, f"{token.text!r} has no place in PromQL")


def _brackets(text: str, stream: tuple[Token, ...]) -> Iterator[Refused]:
    opened: list[Token] = []
    for token in stream:
        if token.kind != "bracket":
            continue
        if token.text in _OPENS:
            opened.append(token)
        elif not opened:
            yield _at(text, token, f"'{token.text}' closes nothing", "remove it")
        elif opened[-1].text != _CLOSES[token.text]:
            wanted = _OPENS[opened[-1].text]
            message = f"'{token.text}' stands where '{wanted}' should close '{opened[-1].text}'"
            yield _at(text, token, message, f"add '{wanted}' before it")
            return
        else:
            opened.pop()
    if opened:
        token = opened[-1]
        yield _at(text, token, f"'{token.text}' is not closed", f"close it with '{_OPENS[token.text]}'")


def _calls(text: str, stream: tuple[Token, ...]) -> Iterator[Refused]:
    from gpuobs.nearest import nearest

    for token, following in zip(stream, stream[1:], strict=False):
        called = token.kind == "word" and following.text == "("
        name = token.text.lower()
        if not called or name in functions.KEYWORDS | functions.NEWER:
            continue
        if name not in functions.known() | functions.EXPERIMENTAL_AGGREGATIONS:
            match = nearest(token.text, functions.known())
            hint = f"did you mean '{match}'?" if match else ""
            yield _at(text, token, f"no function '{token.text}'", hint)


def _order(text: str, stream: tuple[Token, ...]) -> Iterator[Refused]:
    """Operands and operators that do not alternate, outside braces and square brackets."""
    inside: list[str] = []
    previous: Token | None = None
    for index, token in enumerate(stream):
        following = stream[index + 1] if index + 1 < len(stream) else None
        if token.text in "[{" and token.kind == "bracket":
            inside.append(token.text)
        elif token.text in "]}" and token.kind == "bracket" and inside:
            inside.pop()
            previous = token
            continue
        if inside:
            if inside[-1] == "{":
                yield from _matcher(text, stream, index)
            elif inside[-1] == "[":
                yield from _range(text, token, following)
            previous = token
            continue
        if token.text == "=" and token.kind == "operator":
            yield _at(text, token, "'=' compares nothing outside braces", "use '=='")
        elif _is_binary(token) and (previous is None or _is_binary(previous)):
            if token.text not in "+-" or (previous is None and token.text not in "+-"):
                yield _at(text, token, f"'{token.text}' has nothing on its left")
        elif _is_operand(token, following) and previous is not None and _ends_operand(previous):
            message = f"'{token.text}' follows without an operator"
            yield _at(text, token, message, "an operator, 'and' or a comma is missing before it")
        if _is_binary(token) and (following is None or following.text in (")", ",")):
            yield _at(text, token, f"'{token.text}' has nothing on its right")
        previous = token


def _is_binary(token: Token) -> bool:
    if token.kind == "operator":
        return token.text not in ("@", "=", "=~", "!~")
    return token.kind == "word" and token.text.lower() in _BINARY_WORDS


def _is_operand(token: Token, following: Token | None) -> bool:
    if token.kind in ("number", "string"):
        return True
    word = token.text.lower()
    if token.kind != "word" or word in functions.KEYWORDS - {"inf", "nan"}:
        return False
    return True


def _ends_operand(previous: Token) -> bool:
    if previous.kind in ("number", "string"):
        return True
    return previous.kind == "word" and previous.text.lower() not in functions.KEYWORDS | {
        *functions.AGGREGATIONS
    }


def _matcher(text: str, stream: tuple[Token, ...], index: int) -> Iterator[Refused]:
    token = stream[index]
    if token.kind == "operator" and index + 1 < len(stream):
        value = stream[index + 1]
        if token.text == "==":
            yield _at(text, token, "'==' compares numbers; a label is matched with '='", "use '='")
        elif value.kind in ("word", "number", "duration"):
            hint = f'write "{value.text}"'
            yield _at(text, value, "a label's value is not in quotes", hint)
    elif token.kind == "string" and index + 1 < len(stream):
        if stream[index + 1].kind in ("word", "string"):
            yield _at(text, stream[index + 1], "a comma is missing before this matcher", "add ','")


def _range(text: str, token: Token, following: Token | None) -> Iterator[Refused]:
    if token.kind == "number" and following is not None and following.kind == "word":
        written = text[token.start : following.end]
        yield Refused(
            "promql/syntax", f"'{written}' is no duration", token.start, following.end, "such as 5m or 1h30m"
        )
    elif token.kind == "word":
        yield _at(text, token, f"'{token.text}' is no duration", "such as 5m or 1h30m")
