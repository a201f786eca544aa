"""Text for a terminal: the place, what is wrong, the line with a caret, and what to do."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from gpuobs.diagnostics import Diagnostic, Span
from gpuobs.reporters import ReadLine, counted

_WIDTH = 110
_BEFORE = 30  # what is shown of a long line before the place
_COLORS = {"error": "31;1", "warning": "33;1", "caret": "36;1", "hint": "32"}


def render(diagnostics: Sequence[Diagnostic], read_line: ReadLine, *, color: bool = False) -> str:
    """All diagnostics and a line that counts them; nothing where there are none."""
    blocks = ["\n".join(_block(diagnostic, read_line, color)) for diagnostic in diagnostics]
    if blocks:
        blocks.append(_summary(diagnostics))
    return "\n".join(blocks)


def _summary(diagnostics: Sequence[Diagnostic]) -> str:
    counts = counted(diagnostics)
    words = [
        f"{number} {word if number != 1 else word[:-1]}"
        for word, number in counts.items()
        if number
    ]
    return ", ".join(words)


def _block(diagnostic: Diagnostic, read_line: ReadLine, color: bool) -> Iterator[str]:
    severity = _colored(diagnostic.severity, diagnostic.severity, color)
    message = _visible(diagnostic.message)
    yield f"{_place(diagnostic.span)}: {severity} {diagnostic.code}: {message}"
    yield from _excerpt(diagnostic.span, read_line, color)
    if diagnostic.hint:
        first, *rest = diagnostic.hint.split("\n")
        yield f"  {_colored('hint:', 'hint', color)} {_visible(first)}"
        yield from (f"        {_visible(line)}" for line in rest)
    for related in diagnostic.related:
        yield f"  {_place(related.span)}: {_visible(related.message)}"


def _place(span: Span) -> str:
    return f"{_visible(span.file)}:{span.line}:{span.column}"


def _excerpt(span: Span, read_line: ReadLine, color: bool) -> Iterator[str]:
    """The line with carets under the place, cut around it where it is long."""
    line = read_line(span.file, span.line).rstrip()
    if not line:
        return
    start = min(span.column - 1, len(line))
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    clipped, first = _clipped(line, start)
    shown = _visible(clipped)
    left = _columns(shown[: start - first])
    width = _columns(shown[start - first : end - first])
    carets = "^" * max(1, width)
    yield f"  {span.line:>4} | {shown}"
    yield f"  {'':>4} | {' ' * left}{_colored(carets, 'caret', color)}"


def _clipped(line: str, start: int) -> tuple[str, int]:
    """What fits of a line, around a character of it, and the number of characters cut before."""
    if len(line) <= _WIDTH:
        return line, 0
    first = max(0, min(start - _BEFORE, len(line) - _WIDTH))
    text = line[first : first + _WIDTH]
    if first + _WIDTH < len(line):
        text = text[:-3] + "..."
    if first > 0:
        text = "..." + text[3:]
    return text, first


def _columns(text: str) -> int:
    """Columns that a terminal gives to a text."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    without = sum(unicodedata.category(char) in ("Mn", "Me", "Cf") for char in text)
    return len(text) + wide - without


def _visible(text: str) -> str:
    """Text in one line, without the characters that would steer a terminal. A tab is one column."""
    if text.isprintable():
        return text
    return "".join(_shown(char) for char in text)


def _shown(char: str) -> str:
    if char in "\t\n":
        return " "
    harmless = char.isprintable() or unicodedata.category(char) == "Cf"
    return char if harmless and char not in _STEERING else "\ufffd"


# Marks that reverse the direction of writing, and so can show a line as what it is not.
_STEERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _colored(text: str, name: str, color: bool) -> str:
    return f"\x1b[{_COLORS[name]}m{text}\x1b[0m" if color else text
