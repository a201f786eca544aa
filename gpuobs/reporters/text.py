"""Text for a terminal: the place, what is wrong, the line with a caret, and what to do."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from gpuobs.diagnostics import Diagnostic, Span
from gpuobs.reporters import ReadLine, counted

_WIDTH = 110
_COLORS = {"error": "31;1", "warning": "33;1", "caret": "36;1", "hint": "32"}


def render(diagnostics: Sequence[Diagnostic], read_line: ReadLine, *, color: bool = False) -> str:
    """All diagnostics and a line that counts them; nothing where there are none."""
    blocks = ["\n".join(_block(diagnostic, read_line, color)) for diagnostic in diagnostics]
    if blocks:
        blocks.append(summary(diagnostics))
    return "\n".join(blocks)


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    counts = counted(diagnostics)
    words = [
        f"{number} {word if number != 1 else word[:-1]}" for word, number in counts.items() if number
    ]
    return ", ".join(words)


def _block(diagnostic: Diagnostic, read_line: ReadLine, color: bool) -> Iterator[str]:
    span = diagnostic.span
    severity = _colored(diagnostic.severity, diagnostic.severity, color)
    yield f"{span.file}:{span.line}:{span.column}: {severity} {diagnostic.code}: {diagnostic.message}"
    yield from _excerpt(span, read_line, color)
    if diagnostic.hint:
        yield f"  {_colored('hint:', 'hint', color)} {diagnostic.hint}"
    for related in diagnostic.related:
        place = related.span
        yield f"  {place.file}:{place.line}:{place.column}: {related.message}"


def _excerpt(span: Span, read_line: ReadLine, color: bool) -> Iterator[str]:
    """The line with a caret under the place, cut around it where it is long."""
    line = read_line(span.file, span.line).rstrip()
    if not line:
        return
    start = min(span.column - 1, len(line))
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    end = max(min(end, len(line)), start + 1)
    shown, shift = _clipped(line, start, end)
    number = str(span.line)
    yield f"  {number:>4} | {shown.replace(chr(9), ' ')}"
    left = _columns(shown[: start - shift])
    width = max(_columns(shown[start - shift : end - shift]), 1)
    yield f"  {'':>4} | {' ' * left}{_colored('^' * min(width, _WIDTH), 'caret', color)}"


def _clipped(line: str, start: int, end: int) -> tuple[str, int]:
    if len(line) <= _WIDTH:
        return line, 0
    first = max(0, min(start - 30, len(line) - _WIDTH))
    text = line[first : first + _WIDTH]
    if first + _WIDTH < len(line):
        text = text[:-3] + "..."
    if first > 0:
        text = "..." + text[3:]
    return text, first


def _columns(text: str) -> int:
    """Columns that a terminal gives to a text."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    without = sum(unicodedata.combining(char) > 0 for char in text)
    return len(text) + wide - without


def _colored(text: str, name: str, color: bool) -> str:
    return f"\x1b[{_COLORS[name]}m{text}\x1b[0m" if color else text
