"""Tokens read one after the other at one Prometheus version, and the words for the token that breaks."""

from __future__ import annotations

import re

from gpuobs.promql import functions
from gpuobs.promql.lexer import Token
from gpuobs.promql.refused import Refused

_CLOSES = {"(": ")", "[": "]", "{": "}"}
_BINARY = functions.names("and or unless atan2 + - * / % ^ == != < > <= >=")
_QUOTES = frozenset("\u201c\u201d\u2018\u2019")
_INSTEAD = {"&&": "and", "||": "or", "|": "or"}
_MASKED = re.compile(r"([A-Za-z_:][A-Za-z0-9_:]*(?:\{[^{}]*\})?)\s*&\s*([0-9]{1,15})(?![\w.])")


class GrammarError(Exception):
    """Leaves the grammar where the expression breaks; never leaves the package."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.message)
        self.refused = refused


class Cursor:
    """The place in the tokens. `token` is the next one; behind the last stands one of kind `end`."""

    def __init__(self, text: str, stream: tuple[Token, ...], version: tuple[int, int]) -> None:
        self.text = text
        self._tokens = [*stream, Token("end", "", len(text), len(text))]
        self._index = 0
        self.token = self._tokens[0]
        self.version = version

    def advance(self) -> Token:
        """The token, and the cursor behind it."""
        token = self.token
        self._index += 1
        self.token = self._tokens[self._index]
        return token

    def following(self) -> Token:
        """The token behind the next one."""
        return self._tokens[min(self._index + 1, len(self._tokens) - 1)]

    def previous(self) -> Token | None:
        return self._tokens[self._index - 1] if self._index else None

    def close(self, opened: Token, alternatives: str = "") -> Token:
        """The bracket that closes `opened`; `alternatives` says what else may stand here."""
        wanted = _CLOSES[opened.text]
        if self.token.text == wanted and self.token.kind == "bracket":
            return self.advance()
        token = self.token
        if token.kind == "end":
            raise wrong(opened, f"'{opened.text}' is not closed", f"close it with '{wanted}'")
        self._strange(token)
        if token.kind == "bracket" and token.text in ")]}":
            message = f"'{token.text}' stands where '{wanted}' should close '{opened.text}'"
            raise wrong(token, message, f"add '{wanted}' before it")
        if token.text.lower() in ("by", "without"):
            message = f"'{token.text}' stands inside '{opened.text}'"
            raise wrong(token, message, f"close '{opened.text}' with '{wanted}' before it")
        raise wrong(
            token,
            f"'{token.text}' has no place here",
            alternatives or f"'{wanted}' is missing before it",
        )

    def unexpected(self, hint: str = "") -> GrammarError:
        """What to raise at the token, or at what stands before it where that is what needs more."""
        token, before = self.token, self.previous()
        self._strange(token)
        if (
            before is not None
            and before.text.lower() in _BINARY
            and token.text in ("", ")", "]", "}", ",")
        ):
            return wrong(before, f"'{before.text}' has nothing on its right", hint)
        if token.kind == "end":
            return wrong(before or token, "the expression ends too early", hint)
        if token.kind == "bracket" and token.text in ")]}":
            return wrong(token, f"'{token.text}' closes nothing", "remove it")
        if token.text.lower() in _BINARY:
            if before is not None and before.text == "<" and before.end == token.start:
                return wrong(before, f"PromQL has no '<{token.text}'", "use '!='", token.end)
            return wrong(token, f"'{token.text}' has nothing on its left", hint)
        return wrong(token, f"'{token.text}' has no place here", hint)

    def _strange(self, token: Token) -> None:
        if token.kind == "error" and token.text == "&":
            raise wrong(
                token, "PromQL has no '&' and no other operation on bits", self._bits(token)
            )
        strange(token)

    def _bits(self, token: Token) -> str:
        """The bits of a mask one by one, in PromQL."""
        masks = _MASKED.finditer(self.text)
        found = next((each for each in masks if each.start() < token.start < each.end()), None)
        name, mask = (found[1], int(found[2])) if found is not None else ("X", 0)
        bits = [1 << place for place in range(mask.bit_length()) if mask >> place & 1]
        tested = [f"floor({name} / {bit}) % 2 == 1" for bit in bits]
        return " or ".join(tested) or "test one bit: floor(X / BIT) % 2 == 1"


def wrong(token: Token, message: str, hint: str = "", end: int = -1) -> GrammarError:
    """What to raise at a token, or from it to `end`."""
    last = token.end if end < 0 else end
    return GrammarError(Refused("promql/syntax", message, token.start, last, hint))


def unsupported(token: Token, message: str, hint: str = "", end: int = -1) -> GrammarError:
    """What to raise at what is PromQL elsewhere: in a newer Prometheus, or behind a flag."""
    last = token.end if end < 0 else end
    return GrammarError(Refused("promql/unsupported-syntax", message, token.start, last, hint))


def strange(token: Token) -> None:
    """Refuses a token that PromQL does not have."""
    text = token.text
    if token.kind == "variable":
        raise wrong(
            token, f"'{text}' is a dashboard variable, and a rule has none", "write the value"
        )
    if token.kind != "error":
        return
    if text[0] in "\"'`":
        raise wrong(token, "this string is not closed", f"close it with {text[0]}")
    if text[0] in _QUOTES:
        inside = text.strip("".join(_QUOTES))
        raise wrong(token, f"'{text[0]}' is a typographic quote", f'write "{inside}"')
    if text in _INSTEAD:
        raise wrong(token, f"PromQL has no '{text}'", f"use '{_INSTEAD[text]}'")
    if text[0].isdigit():
        raise wrong(
            token, f"'{text}' is neither a number nor a duration", "such as 5m, 1h30m or 1.5"
        )
    if text == ".":
        raise wrong(token, "a name cannot have a dot", "metrics and labels are written with _")
    if text == "!":
        raise wrong(token, "PromQL has no '!'", "use '!=', '!~' or 'unless'")
    raise wrong(token, f"{text!r} has no place in PromQL")


def dotted(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


def words(token: Token) -> bool:
    """Whether a token is a word that only joins others, and names nothing by itself."""
    return token.kind == "word" and token.text.lower() in functions.KEYWORDS
