"""Markdown that any forge renders, made of texts that may hold anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

# What Markdown or HTML would take for markup within a line.
_MARKUP = re.compile(r"([\\`*_\[\]<>#|~&])")
_BAR = re.compile(r"(?<!\\)\|")
_FENCES = re.compile(r"`+")


def words(text: str) -> str:
    """Plain words on one line."""
    return escaped(" ".join(text.split()))


def escaped(text: str) -> str:
    """Plain words, with their spaces."""
    return _MARKUP.sub(r"\\\1", text)


def code(text: str) -> str:
    """Code within a line, fenced by more backticks than it holds."""
    text = " ".join(text.split())
    fence = "`" * (1 + max(map(len, _FENCES.findall(text)), default=0))
    room = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{room}{text}{room}{fence}" if text else ""


def block(text: str, language: str = "", indent: str = "") -> Iterator[str]:
    """Lines of code on their own."""
    fence = "`" * max(3, 1 + max(map(len, _FENCES.findall(text)), default=0))
    yield f"{indent}{fence}{language}"
    yield from (f"{indent}{line}" for line in text.splitlines())
    yield f"{indent}{fence}"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table; a bar in a cell is escaped."""
    yield f"| {' | '.join(columns)} |"
    yield f"|{'|'.join('---' for _ in columns)}|"
    for row in rows:
        cells = (_BAR.sub(r"\|", cell) for cell in row)
        yield f"| {' | '.join(cells)} |"


def in_code(names: Iterable[str]) -> str:
    """Names in a row."""
    return ", ".join(f"`{name}`" for name in names)
