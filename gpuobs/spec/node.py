"""A parsed YAML value that knows where it stands."""

from __future__ import annotations

from typing import Any, Literal

from gpuobs.diagnostics import Span

Style = Literal["plain", "single", "double", "literal", "folded", "flow", "block"]


class Source:
    """One file's text as the author wrote it."""

    __slots__ = ("_lines", "file", "text")

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self._lines: list[str] | None = None

    @property
    def lines(self) -> list[str]:
        if self._lines is None:
            self._lines = self.text.split("\n")
        return self._lines


class Node:
    """A scalar, list or mapping with its place.

    `value` is str, int, float, bool or None for a scalar, `list[Node]` for a list and `dict[str, Node]` for a mapping.
    Lines and columns count from 1; the end is excluded. `keys` has the place of each key of a mapping as
    (line, column, end_line, end_column).
    """

    __slots__ = ("column", "end_column", "end_line", "keys", "line", "source", "style", "value")

    def __init__(
        self,
        source: Source,
        value: Any,
        place: tuple[int, int, int, int],
        style: Style = "plain",
        keys: dict[str, tuple[int, int, int, int]] | None = None,
    ) -> None:
        self.source = source
        self.value = value
        self.line, self.column, self.end_line, self.end_column = place
        self.style = style
        self.keys = keys

    @property
    def span(self) -> Span:
        return Span(self.source.file, self.line, self.column, self.end_line, self.end_column)

    def key_span(self, key: str) -> Span:
        """Where a mapping's key stands."""
        assert self.keys is not None
        return Span(self.source.file, *self.keys[key])

    def get(self, *path: str | int) -> Node | None:
        """The node under a path of keys and indexes, or None where there is none."""
        node: Node = self
        for step in path:
            value = node.value
            keyed = isinstance(value, dict) and step in value
            listed = isinstance(value, list) and isinstance(step, int) and step < len(value)
            if not (keyed or listed):
                return None
            node = value[step]
        return node

    def at(self, *path: str | int) -> Span:
        """The span under a path; of the nearest existing parent where the path ends early."""
        node: Node = self
        for step in path:
            child = node.get(step)
            if child is None:
                break
            node = child
        return node.span

    def at_key(self, *path: str | int) -> Span:
        """The span of the key that a path ends with; of the value where the path does not end with a key."""
        parent = self.get(*path[:-1])
        key = path[-1]
        if parent is not None and isinstance(key, str) and key in (parent.keys or {}):
            return parent.key_span(key)
        return self.at(*path)

    def plain(self) -> Any:
        """The data without places, for JSON Schema and for comparison."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value
