"""PromQL as tokens with their offsets. promql_parser gives no positions, so findings get theirs from here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_PATTERN = re.compile(
    r"""
      (?P<space>[ \t\r\n]+)
    | (?P<comment>\#[^\n]*)
    | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)
    | (?P<variable>\$\{[^}]*\}|\[\[[A-Za-z0-9_:]+\]\]|\$[A-Za-z_][A-Za-z0-9_]*)
    | (?P<duration>(?:[0-9]+(?:ms|[smhdwy]))+(?![A-Za-z0-9_]))
    | (?P<number>0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    | (?P<word>[A-Za-z_:][A-Za-z0-9_:]*)
    | (?P<operator>=~|!~|==|!=|<=|>=|[-+*/%^<>=@])
    | (?P<bracket>[()\[\]{}])
    | (?P<comma>,)
    | (?P<colon>:)
    | (?P<error>"(?:[^"\\\n]|\\.)*|'(?:[^'\\\n]|\\.)*|`[^`]*|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)", re.DOTALL)
_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `kind` is the group of the pattern that it matched."""

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
        return inside if self.text[0] == "`" else _ESCAPE.sub(_unescaped, inside)


def _unescaped(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] in "xuU" and len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number <= 0x10FFFF else "\ufffd"
    if code.isdigit() and len(code) == 3:
        return chr(int(code, 8))
    return _SIMPLE.get(code, code)


@lru_cache(maxsize=16384)
def tokens(text: str) -> tuple[Token, ...]:
    """All tokens but white space and comments. What is no token of PromQL has kind `error`."""
    return tuple(
        Token(match.lastgroup or "error", match.group(), match.start(), match.end())
        for match in _PATTERN.finditer(text)
        if match.lastgroup not in ("space", "comment")
    )
