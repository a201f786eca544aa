"""YAML text to nodes with places: one pass over the events of PyYAML's C parser.

Scalars follow YAML 1.2, duplicate keys and everything that would make a spec mean something else in another reader are
refused, and a mistake never ends the reading of the rest where the rest can still be read.
"""

from __future__ import annotations

import re
from typing import Any

from gpuobs.diagnostics import Diagnostic, Related, Span, error
from gpuobs.spec.node import Node, Source, Style

MAX_BYTES = 5 * 1024 * 1024
MAX_DEPTH = 64

_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_BASED = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z")
_CONSTANTS: dict[str, Any] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_STYLES: dict[str | None, Style] = {
    None: "plain",
    "": "plain",
    "'": "single",
    '"': "double",
    "|": "literal",
    ">": "folded",
}
# U+0085, U+2028 and U+2029 end a line for some readers of YAML and not for others.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]")


def read(file: str, data: bytes) -> tuple[Node | None, list[Diagnostic]]:
    """The document in a file's bytes; None where it has none that can be used. `file` is shown to people."""
    whole = Span(file, 1, 1, 1, 1)
    if len(data) > MAX_BYTES:
        message = f"this file has {len(data):,} bytes, more than the {MAX_BYTES:,} that are read"
        return None, [error(whole, "yaml/too-large", message, "split it into several documents")]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        start = data.rfind(b"\n", 0, problem.start) + 1
        column = len(data[start : problem.start].decode("utf-8", "replace")) + 1
        span = Span(file, line, column, line, column + 1)
        message = f"byte 0x{data[problem.start]:02x} is not UTF-8"
        return None, [error(span, "yaml/encoding", message, "save the file as UTF-8")]
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    source = Source(file, text)
    control = _CONTROL.search(text)
    if control:
        span = _span_at(source, control.start(), control.end())
        message = f"the control character U+{ord(control.group()):04X} is not allowed"
        return None, [error(span, "yaml/encoding", message, "remove it")]
    return _Reader(source).document()


def _span_at(source: Source, start: int, end: int) -> Span:
    line = source.text.count("\n", 0, start) + 1
    column = start - (source.text.rfind("\n", 0, start) + 1) + 1
    return Span(source.file, line, column, line, column + max(end - start, 1))


class _TooDeep(Exception):
    pass


class _Reader:
    """Events to nodes, with the mistakes found on the way."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Diagnostic] = []

    def document(self) -> tuple[Node | None, list[Diagnostic]]:
        import yaml
        from yaml.cyaml import CParser

        parser = CParser(self.source.text)
        node: Node | None = None
        try:
            self.events = parser
            parser.get_event()  # stream start
            while not parser.check_event(yaml.StreamEndEvent):
                start = parser.get_event()  # document start
                if node is not None or self.problems and self._has_second():
                    self._second_document(start)
                    break
                node = self._node(parser.get_event(), 0)
                parser.get_event()  # document end
        except _TooDeep:
            return None, self.problems
        except (yaml.YAMLError, ValueError, RecursionError) as problem:
            from gpuobs.spec.yaml_mistakes import explain

            self.problems.append(explain(self.source, problem))
            return None, self.problems
        return self._mapping_only(node)

    def _has_second(self) -> bool:
        return any(problem.code == "yaml/second-document" for problem in self.problems)

    def _second_document(self, event: Any) -> None:
        span = self._span(event)
        message = "a second document begins here, which other readers skip"
        hint = "move it to a file of its own"
        self.problems.append(error(span, "yaml/second-document", message, hint))

    def _mapping_only(self, node: Node | None) -> tuple[Node | None, list[Diagnostic]]:
        if node is None or node.value is None:
            if not self.problems:
                span = Span(self.source.file, 1, 1, 1, 1)
                hint = "begin with apiVersion, kind and name"
                self.problems.append(error(span, "yaml/missing-key", "this file is empty", hint))
            return None, self.problems
        if not isinstance(node.value, dict):
            span = Span(self.source.file, node.line, node.column, node.line, node.column + 1)
            message = "a spec is a mapping of keys to values"
            hint = "begin with apiVersion, kind and name"
            self.problems.append(error(span, "yaml/wrong-type", message, hint))
            return None, self.problems
        return node, self.problems

    def _place(self, event: Any) -> tuple[int, int, int, int]:
        start, end = event.start_mark, event.end_mark
        return start.line + 1, start.column + 1, end.line + 1, end.column + 1

    def _span(self, event: Any) -> Span:
        return Span(self.source.file, *self._place(event))

    def _node(self, event: Any, depth: int) -> Node:
        name = type(event).__name__
        if depth > MAX_DEPTH:
            message = f"nested deeper than {MAX_DEPTH} levels"
            self.problems.append(error(self._span(event), "yaml/too-deep", message, "make it flatter"))
            raise _TooDeep
        if name == "AliasEvent":
            return self._alias(event)
        self._refuse_anchor(event)
        if name == "ScalarEvent":
            return self._scalar(event)
        if name == "SequenceStartEvent":
            return self._sequence(event, depth)
        return self._mapping(event, depth)

    def _alias(self, event: Any) -> Node:
        message = f"'*{event.anchor}' is an alias: a spec says everything where it stands"
        hint = "write the value out, or generate the file"
        self.problems.append(error(self._span(event), "yaml/alias", message, hint))
        return Node(self.source, None, self._place(event))

    def _refuse_anchor(self, event: Any) -> None:
        if event.anchor is not None:
            line, column, _, _ = self._place(event)
            span = Span(self.source.file, line, column, line, column + len(event.anchor) + 1)
            message = f"'&{event.anchor}' is an anchor: a spec says everything where it stands"
            self.problems.append(error(span, "yaml/alias", message, "remove it"))
        tag = getattr(event, "tag", None)
        if tag is not None and tag != "!":
            line, column, _, _ = self._place(event)
            message = f"the tag '{tag}' changes what the value means"
            span = Span(self.source.file, line, column, line, column + 1)
            self.problems.append(error(span, "yaml/bad-value", message, "remove it"))

    def _scalar(self, event: Any) -> Node:
        style = _STYLES[event.style]
        text = event.value
        value = self._plain(event, text) if style == "plain" else text
        return Node(self.source, value, self._place(event), style)

    def _plain(self, event: Any, text: str) -> Any:
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if text[0] in "-+.0123456789":
            if _INTEGER.match(text) and not (len(text.lstrip("-+")) > 1 and text.lstrip("-+")[0] == "0"):
                return int(text) if len(text) < 20 else float(text)
            if _BASED.match(text):
                return int(text, 0)
            if _FLOAT.match(text) and not _leading_zero(text):
                value = float(text)
                if value in (float("inf"), float("-inf")):
                    self._not_finite(event, text)
                return value
            if _NOT_FINITE.match(text):
                self._not_finite(event, text)
        return text

    def _not_finite(self, event: Any, text: str) -> None:
        message = f"'{text}' is no finite number"
        self.problems.append(error(self._span(event), "yaml/bad-value", message))

    def _sequence(self, event: Any, depth: int) -> Node:
        items: list[Node] = []
        while type(following := self.events.get_event()).__name__ != "SequenceEndEvent":
            items.append(self._node(following, depth + 1))
        return Node(self.source, items, self._around(event, following), self._style(event))

    def _mapping(self, event: Any, depth: int) -> Node:
        values: dict[str, Node] = {}
        keys: dict[str, tuple[int, int, int, int]] = {}
        while type(key := self.events.get_event()).__name__ != "MappingEndEvent":
            name = self._key(key, depth)
            node = self._node(self.events.get_event(), depth + 1)
            if name is None:
                continue
            if name in values:
                self._duplicate(key, name, keys[name])
                continue
            values[name] = node
            keys[name] = self._place(key)
        return Node(self.source, values, self._around(event, key), self._style(event), keys)

    def _key(self, event: Any, depth: int) -> str | None:
        if type(event).__name__ != "ScalarEvent":
            node = self._node(event, depth + 1)
            if type(event).__name__ != "AliasEvent":
                span = Span(self.source.file, node.line, node.column, node.line, node.column + 1)
                message = "a key is plain text"
                hint = "quote a value that begins with '{{' or '['"
                self.problems.append(error(span, "yaml/wrong-type", message, hint))
            return None
        self._refuse_anchor(event)
        if event.value == "<<" and not event.style:
            hint = "write the keys out, or generate the file"
            message = "'<<' is a merge key: a spec says everything where it stands"
            self.problems.append(error(self._span(event), "yaml/alias", message, hint))
            return None
        return str(event.value)

    def _duplicate(self, event: Any, name: str, first: tuple[int, int, int, int]) -> None:
        message = f"key '{name}' is there twice, and readers take one of them"
        related = (Related(Span(self.source.file, *first), "first here"),)
        hint = "keep one of them"
        self.problems.append(
            error(self._span(event), "yaml/duplicate-key", message, hint, related)
        )

    def _around(self, start: Any, end: Any) -> tuple[int, int, int, int]:
        first, last = start.start_mark, end.end_mark
        return first.line + 1, first.column + 1, last.line + 1, last.column + 1

    def _style(self, event: Any) -> Style:
        return "flow" if event.flow_style else "block"


def _leading_zero(text: str) -> bool:
    digits = text.lstrip("-+")
    return len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()


def place(node: Node, start: int, end: int) -> Span:
    """Where characters `start` to `end` (excluded) of a text node's value stand in its file, whatever its style."""
    value = str(node.value)
    start, end = max(0, min(start, len(value))), max(0, min(end, len(value)))
    positions = _positions(node, value)
    if not positions or node.source.file.endswith(".jsonnet"):
        return node.span
    first = positions[min(start, len(positions) - 1)]
    last = positions[max(min(end, len(positions)) - 1, 0)] if end > start else first
    return Span(node.source.file, first[0], first[1], last[0], last[1] + 1)


def _positions(node: Node, value: str) -> list[tuple[int, int]]:
    """Line and column of every character of a value, found by walking value and source side by side."""
    lines = node.source.lines
    line, column = node.line - 1, node.column - 1
    if node.style in ("literal", "folded"):
        line, column = line + 1, 0
    elif node.style in ("single", "double"):
        column += 1
    positions: list[tuple[int, int]] = []
    for char in value:
        line, column = _forward(lines, line, column, char, node.style)
        if line >= len(lines):
            break
        positions.append((line + 1, column + 1))
        column += _width(lines[line], column, char, node.style)
    return positions


def _forward(lines: list[str], line: int, column: int, char: str, style: Style) -> tuple[int, int]:
    """The next place in the source that a value's character can come from."""
    if char in " \n" and not (line < len(lines) and lines[line][column : column + 1] == char):
        return (line, column)
    while line < len(lines):
        text = lines[line]
        while column < len(text):
            found = text[column]
            if found == char or (style == "double" and found == "\\"):
                if found == "\\" and column + 1 == len(text):
                    break
                return line, column
            if found not in " \t":
                return line, column
            column += 1
        line, column = line + 1, 0
    return line, column


def _width(text: str, column: int, char: str, style: Style) -> int:
    """How many characters of the source give one of the value."""
    if column >= len(text):
        return 0
    if style == "single" and text[column : column + 2] == "''":
        return 2
    if style == "double" and text[column] == "\\":
        return {"x": 4, "u": 6, "U": 10}.get(text[column + 1 : column + 2], 2)
    if char in " \n" and text[column] != char:
        return 0
    return 1
