"""PromQL as tokens with their offsets. promql_parser gives no positions, so findings get theirs from here."""

from __future__ import annotations

import re
from typing import NamedTuple

# A colon starts a metric's name, or parts a subquery's range from its step: there it follows a duration (a word would
# have swallowed it) or precedes one. Every alternative takes at least one character and the last one takes any, so the tokens tile the text.
_PATTERN = re.compile(
    r"""
      (?P<space>[ \t\r\n]+)
    | (?P<colon>:(?=[0-9\s\]$.\#]|\Z)|(?<=[0-9smhdwy]):)
    | (?P<word>[A-Za-z_:][A-Za-z0-9_:]*)
    | (?P<bracket>[()\[\]{}](?<!\[)|\[(?!\[[A-Za-z0-9_:]+\]\]))
    | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)
    | (?P<comma>,)
    | (?P<operator>=~|!~|==|!=|<=|>=|[-+*/%^<>=@])
    | (?P<duration>(?:[0-9]+(?:ms|[smhdwy]))+(?![A-Za-z0-9_]))
    | (?P<number>
        (?:0[xX]_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*
        | (?:[0-9]+(?:_[0-9]+)*(?:\.(?:[0-9]+(?:_[0-9]+)*)?)?|\.[0-9]+(?:_[0-9]+)*)
          (?:[eE][+-]?[0-9]+(?:_[0-9]+)*)?)(?![A-Za-z0-9_]))
    | (?P<variable>\$\{[^{}\n]*\}|\[\[[A-Za-z0-9_:]+\]\]|\$[A-Za-z_][A-Za-z0-9_]*)
    | (?P<comment>\#[^\r\n]*)
    | (?P<error>[0-9][A-Za-z0-9_.]*
        | "(?:[^"\\\n]|\\.)*|'(?:[^'\\\n]|\\.)*|`[^`]*
        | [\u201c\u201d][^\u201c\u201d"\n]*[\u201c\u201d]|[\u2018\u2019][^\u2018\u2019'\n]*[\u2018\u2019]
        | &&|\|\||.)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)", re.DOTALL)
_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_SILENT = ("space", "comment")


class Token(NamedTuple):
    """One token; `kind` is the group of the pattern that it matched. A named tuple because thousands are made."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def value(self) -> str:
        """A string token's value, with its escapes resolved."""
        if self.kind != "string":
            return self.text
        inside = self.text[1:-1]
        if self.text[0] == "`" or "\\" not in inside:
            return inside
        return _resolved(inside).decode("utf-8", "replace")

    @property
    def is_unicode(self) -> bool:
        """Whether a string token's value is UTF-8: an escape such as \\xff makes bytes that are not."""
        if self.text[0] == "`" or "\\" not in self.text:
            return True
        try:
            _resolved(self.text[1:-1]).decode()
        except UnicodeDecodeError:
            return False
        return True


def _resolved(inside: str) -> bytes:
    """What stands between quotes with its escapes resolved; bytes, because an escape can be a part of a character."""
    encodable = inside.encode("utf-8", "replace").decode()
    return _ESCAPE.sub(_unescaped, encodable).encode("utf-8", "surrogateescape")


def _unescaped(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] in "uU" and len(code) > 1:
        number = int(code[1:], 16)
        is_character = number <= 0x10FFFF and not 0xD800 <= number < 0xE000
        return chr(number) if is_character else "\ufffd"
    if code[0] == "x" and len(code) > 1:
        return _byte(int(code[1:], 16))
    if code.isdigit() and len(code) == 3:
        return _byte(int(code, 8) & 0xFF)
    return _SIMPLE.get(code, code)


def _byte(number: int) -> str:
    """A byte above ASCII is a lone surrogate until the whole is put together: its neighbours may complete it."""
    return chr(number) if number < 0x80 else chr(0xDC00 + number)


def bad_escape(token: Token) -> tuple[int, int] | None:
    """Offsets of the first escape in a string token that Go's strings do not have; None where all are good."""
    if token.text[0] == "`" or "\\" not in token.text:
        return None
    for match in _ESCAPE.finditer(token.text, 1, len(token.text) - 1):
        code = match[1]
        good = code in "abfnrtv\\" or code == token.text[0]
        if code[0] in "uU" and len(code) > 1:
            number = int(code[1:], 16)
            good = number <= 0x10FFFF and not 0xD800 <= number < 0xE000
        elif len(code) == 3:
            good = code[0] == "x" or int(code, 8) < 256
        if not good:
            return token.start + match.start(), token.start + match.end()
    return None


def scan(text: str) -> list[Token]:
    """All tokens, white space and comments too: they tile the text. What PromQL lacks has kind `error`."""
    return [
        Token(match.lastgroup or "error", match.group(), match.start(), match.end())
        for match in _PATTERN.finditer(text)
    ]


def tokens(text: str) -> tuple[Token, ...]:
    """The tokens that mean something."""
    return tuple(token for token in scan(text) if token.kind not in _SILENT)
