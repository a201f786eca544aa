"""From a range of a text's value to its place in the file, for every way in which YAML can write a text.

Only findings need it, so nothing is recorded while reading: value and source are walked side by side when asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from gpuobs.diagnostics import Span
from gpuobs.spec.node import Node

# Line, column (both from 0) and width in the source of one character of a value.
Position = tuple[int, int, int]
_ESCAPES = {"x": 4, "u": 6, "U": 10}


class _Lost(Exception):
    """Value and source went apart: the node was not read from this text."""


@lru_cache(maxsize=4)
def _all_positions(node: Node) -> list[Position]:
    return list(_positions(node, node.value))


def place(node: Node, start: int, end: int) -> Span:
    """Where `value[start:end]` of a text node stands; the whole node where that cannot be told.

    An empty range gives one character: the one at `start`, or the one behind the text's end.
    """
    value = node.value
    if not isinstance(value, str) or not value or node.source.file.endswith(".jsonnet"):
        return node.span
    start = max(0, min(start, len(value)))
    end = max(start, min(end, len(value)))
    try:
        positions = _all_positions(node)
    except (_Lost, IndexError):
        return node.span
    if start == len(value):
        line, column, width = positions[-1]
        return Span(node.source.file, line + 1, column + width + 1, line + 1, column + width + 2)
    first, last = positions[start], positions[max(start, end - 1)]
    return Span(node.source.file, first[0] + 1, first[1] + 1, last[0] + 1, last[1] + last[2] + 1)


def _positions(node: Node, value: str) -> Iterator[Position]:
    lines = node.source.lines
    if node.style in ("literal", "folded"):
        return _block(lines, node.line, value)
    quoted = node.style in ("single", "double")
    return _flow(lines, node.line - 1, node.column - 1 + quoted, value, node.style)


def _block(lines: list[str], line: int, value: str) -> Iterator[Position]:
    """A block scalar whose first line is `line`: one indentation is cut off every line, and a break may be folded."""
    indent = _indentation(lines, line, value)
    done = 0
    while done < len(value):
        text = lines[line]
        for column in range(indent, len(text)):
            _agree(text[column], value[done : done + 1])
            yield line, column, 1
            done += 1
        if value[done : done + 1] in ("\n", " "):
            yield line, len(text), 1
            done += 1
        line += 1


def _indentation(lines: list[str], line: int, value: str) -> int:
    """The width that was cut off: the first visible character tells, else the longest line."""
    visible = value.lstrip(" \n")
    if not visible:
        return max(len(text) for text in lines[line : line + 1]) - len(value.partition("\n")[0])
    own = value[: len(value) - len(visible)].rpartition("\n")[2]
    while not lines[line].strip(" "):
        line += 1
    return len(lines[line]) - len(lines[line].lstrip(" ")) - len(own)


def _flow(lines: list[str], line: int, column: int, value: str, style: str) -> Iterator[Position]:
    """A plain or quoted text: white space around a line break is folded, and quotes have escapes."""
    done = 0
    while done < len(value):
        rest = lines[line][column:].rstrip(" \t")
        escaped = style == "double" and rest == "\\"
        if rest and not escaped:
            width = _width(rest, style)
            if width == 1:
                _agree(rest[0], value[done])
            yield line, column, width
            done, column = done + 1, column + width
            continue
        following = line + 1
        while not lines[following].strip(" \t"):
            following += 1
        breaks = following - line - 1
        if breaks == 0 and not escaped:
            yield line, column, 1
        for blank in range(breaks):
            yield line + 1 + blank, 0, 1
        done += breaks or int(not escaped)
        line = following
        column = len(lines[line]) - len(lines[line].lstrip(" \t"))


def _width(rest: str, style: str) -> int:
    """How many characters of the source give one of the value."""
    if style == "single" and rest.startswith("''"):
        return 2
    if style == "double" and rest[0] == "\\":
        return _ESCAPES.get(rest[1], 2)
    return 1


def _agree(source: str, value: str) -> None:
    if source != value:
        raise _Lost
