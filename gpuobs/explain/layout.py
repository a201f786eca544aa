"""Text of pages: a column of words and beside it what there is to say, within the width of a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

WIDTH = 92
_COLUMN = 13


def row(word: str, text: str, indent: int = 0) -> Iterator[str]:
    """A word and a text that goes on beside it; nothing without a text."""
    if text:
        yield from hanging(f"  {word:<{_COLUMN - 2}}", text, indent)


def hanging(first: str, text: str, indent: int = 0) -> Iterator[str]:
    """A text in lines, the first behind `first` and the others below it."""
    below = " " * (len(first) + indent)
    yield from wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=below,
        break_long_words=False,
        break_on_hyphens=False,
    )
