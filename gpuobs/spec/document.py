"""YAML text to nodes with places: one pass over the events of PyYAML's C parser.

Scalars follow YAML 1.2, duplicate keys and everything that would make a spec mean something else in another reader are
refused, and a mistake never ends the reading of the rest where the rest can still be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar

from gpuobs.diagnostics import Diagnostic, Related, Span, error
from gpuobs.spec.node import Node, Source, Style
from gpuobs.spec.places import place

if TYPE_CHECKING:
    from gpuobs.spec.yaml_mistakes import Mistake

__all__ = ["Reader", "Unreadable", "decode", "place", "read", "read_on"]

MAX_BYTES = 5 * 1024 * 1024
MAX_DEPTH = 64

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_BASED = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z")
_NUMERIC = "-+.0123456789"
_INFINITE = float("inf")
_TAG = re.compile(r"!\S*")
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
R = TypeVar("R", bound="Reader")
_STYLES: dict[str | None, Style] = {
    None: "plain",
    "": "plain",
    "'": "single",
    '"': "double",
    "|": "literal",
    ">": "folded",
}
# U+0085, U+2028 and U+2029 end a line for some readers of YAML and not for others; U+FEFF cannot be seen.
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_UNDECODED = re.compile("[\udc80-\udcff]")
_MOST_MISTAKES = 20


def read(file: str, data: bytes) -> tuple[Node | None, list[Diagnostic]]:
    """The document in a file's bytes; None where it has none that can be used. `file` is shown to people."""
    source, problems = decode(file, data)
    if source is None:
        return None, problems
    reader, mistakes = read_on(Reader, source)
    if reader is None:
        return None, mistakes
    root = None if reader.given_up else reader.mapping_only()
    return root, reader.problems


def decode(file: str, data: bytes) -> tuple[Source | None, list[Diagnostic]]:
    """A file's text with `\\n` at the end of every line; None and the reasons where it is none."""
    whole = Span(file, 1, 1, 1, 2)
    if len(data) > MAX_BYTES:
        message = f"this file has more than the {MAX_BYTES:,} bytes that are read"
        return None, [error(whole, "yaml/too-large", message, "split it into several documents")]
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None, [error(whole, "yaml/encoding", "this file is UTF-16", "save it as UTF-8")]
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    source = Source(file, text)
    unreadable = _unreadable(source)
    return (None, unreadable) if unreadable else (source, [])


def _unreadable(source: Source) -> list[Diagnostic]:
    """Bytes that are no text, and characters that have no business in one."""
    problems = []
    for match in _UNDECODED.finditer(source.text):
        message = f"byte 0x{ord(match.group()) - 0xDC00:02x} is not UTF-8"
        problems.append((match, message, "save the file as UTF-8"))
    for match in CONTROL.finditer(source.text):
        message = f"the character U+{ord(match.group()):04X} is not allowed"
        problems.append((match, message, "remove it"))
    return [
        error(_span_at(source, match.start()), "yaml/encoding", message, hint)
        for match, message, hint in problems[:_MOST_MISTAKES]
    ]


def _span_at(source: Source, start: int) -> Span:
    line = source.text.count("\n", 0, start) + 1
    column = start - source.text.rfind("\n", 0, start)
    return Span(source.file, line, column, line, column + 1)


def read_on(make: Callable[[Source], R], source: Source) -> tuple[R | None, list[Diagnostic]]:
    """The reader that got to the end of a text, or None and all mistakes.

    Reads on behind a syntax mistake as long as it can be blanked out, so that one run shows them all.
    """
    text = source.text
    mistakes: list[Diagnostic] = []
    while True:
        reader = make(source)
        mistake = reader.read(text)
        if mistake is None:
            break
        mistakes.append(mistake.diagnostic)
        following = mistake.mended(text) if len(mistakes) < _MOST_MISTAKES else None
        if following is None or following == text:
            break
        text = following
    return (None, mistakes + reader.problems) if mistakes else (reader, [])


class Unreadable(Exception):
    """The mistake that was just reported is one behind which nothing can be read."""


def plain_value(text: str) -> Any:
    """The value of a plain scalar by YAML 1.2's core schema, except that `010` is text: readers differ on it."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in _NUMERIC:
        return text
    if _INTEGER.match(text):
        return int(text) if len(text) < 20 else float(text)
    if _BASED.match(text):
        return int(text, 0) if len(text) < 20 else _INFINITE
    if _FLOAT.match(text):
        return float(text)
    if _NOT_FINITE.match(text):
        return float(text.replace(".", "").lower())
    return text


class Reader:
    """Events to nodes, with the mistakes found on the way."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Diagnostic] = []
        self.root: Node | None = None
        self.holes = False
        self.given_up = False

    def read(self, text: str) -> Mistake | None:
        """Reads every document; what stopped the parser, if anything did."""
        import yaml

        self.events: Any = yaml.CBaseLoader(text)
        try:
            self.events.get_event()  # stream start
            while not self.events.check_event(yaml.StreamEndEvent):
                if not self._document(self.events.get_event()):
                    break
        except Unreadable:
            self.given_up = True
        except yaml.YAMLError as problem:
            from gpuobs.spec.yaml_mistakes import explain

            return explain(self.source, problem)
        return None

    def _document(self, start: Any) -> bool:
        """Reads the document that begins here; whether to go on to the next."""
        if self.root is not None:
            self._second_document(start)
            return False
        self.root = self._node(self.events.get_event(), 0)
        self.events.get_event()  # document end
        return True

    def _second_document(self, event: Any) -> None:
        span = self._span(event)
        message = "a second document begins here, which other readers skip"
        hint = "move it to a file of its own"
        self.problems.append(error(span, "yaml/second-document", message, hint))

    def mapping_only(self) -> Node | None:
        """The root, if it is a mapping without holes."""
        root = self.root
        hint = "begin with apiVersion, kind and name"
        if root is None or (root.value is None and not self.problems):
            span = Span(self.source.file, 1, 1, 1, 2)
            self.problems.append(error(span, "yaml/missing-key", "this file is empty", hint))
        elif not isinstance(root.value, dict):
            if root.value is not None:
                span = Span(self.source.file, root.line, root.column, root.line, root.column + 1)
                message = "a spec is a mapping of keys to values"
                self.problems.append(error(span, "yaml/wrong-type", message, hint))
        elif not self.holes:
            return root
        return None

    def _place(self, event: Any) -> tuple[int, int, int, int]:
        """Where an event stands; nothing, as after `key:`, stands on one character."""
        start, end = event.start_mark, event.end_mark
        empty = int(start.index == end.index)
        return start.line + 1, start.column + 1, end.line + 1, end.column + 1 + empty

    def _span(self, event: Any) -> Span:
        return Span(self.source.file, *self._place(event))

    def _node(self, event: Any, depth: int) -> Node:
        name = type(event).__name__
        if depth > MAX_DEPTH:
            message = f"nested deeper than {MAX_DEPTH} levels"
            self.problems.append(
                error(self._span(event), "yaml/too-deep", message, "make it flatter")
            )
            raise Unreadable
        if name == "AliasEvent":
            return self._alias(event, depth)
        self._properties(event)
        if name == "ScalarEvent":
            return self._scalar(event)
        if name == "SequenceStartEvent":
            return self._sequence(event, depth)
        return self._mapping(event, depth)

    def _refuse(self, span: Span, code: str, message: str, hint: str) -> None:
        """A mistake that leaves a hole: what stands around it cannot be judged, so the document is not used."""
        self.holes = True
        self.problems.append(error(span, code, message, hint))

    def _alias(self, event: Any, depth: int) -> Node:  # noqa: ARG002
        message = f"'*{event.anchor}' is an alias: a spec says everything where it stands"
        hint = "write the value out; a text that begins with '*' wants quotes"
        self._refuse(self._span(event), "yaml/alias", message, hint)
        return Node(self.source, None, self._place(event))

    def _properties(self, event: Any) -> None:
        """Anchors and tags."""
        if event.anchor is not None:
            self._refuse_anchor(event)
        if event.tag is not None:
            self._refuse_tag(event)

    def _refuse_anchor(self, event: Any) -> None:
        line, column, _, _ = self._place(event)
        start = self.source.lines[line - 1].find(f"&{event.anchor}", column - 1) + 1 or column
        span = Span(self.source.file, line, start, line, start + len(event.anchor) + 1)
        message = f"'&{event.anchor}' is an anchor: a spec says everything where it stands"
        hint = "remove it; a text that begins with '&' wants quotes"
        self._refuse(span, "yaml/alias", message, hint)

    def _refuse_tag(self, event: Any) -> None:
        line, column, _, _ = self._place(event)
        tag = _TAG.search(self.source.lines[line - 1], column - 1)
        written, start = (tag.group(), tag.start() + 1) if tag else (event.tag, column)
        span = Span(self.source.file, line, start, line, start + len(written))
        message = f"the tag '{written}' changes what the value means"
        hint = "remove it; a text that begins with '!' wants quotes"
        self._refuse(span, "yaml/bad-value", message, hint)

    def _scalar(self, event: Any) -> Node:
        style = _STYLES[event.style]
        text = event.value
        if style == "plain":
            text = self._plain(event, text)
        elif style == "double" and CONTROL.search(text):
            message = "an escape gives a character that is not allowed"
            self._refuse(self._span(event), "yaml/encoding", message, "remove it")
        block = style in ("literal", "folded")
        where = self._block_place(event) if block else self._place(event)
        return Node(self.source, text, where, style)

    def _plain(self, event: Any, text: str) -> Any:
        value = plain_value(text)
        if isinstance(value, float) and not isfinite(value):
            hint = "leave it out, or quote it if it is a text"
            message = f"'{text[:40]}' is no finite number"
            self._refuse(self._span(event), "yaml/bad-value", message, hint)
        return value

    def _sequence(self, event: Any, depth: int) -> Node:
        items: list[Node] = []
        while type(following := self.events.get_event()).__name__ != "SequenceEndEvent":
            items.append(self._node(following, depth + 1))
        return Node(self.source, items, self._around(event, following, items), _style(event))

    def _mapping(self, event: Any, depth: int) -> Node:
        values: dict[str, Node] = {}
        keys: dict[str, tuple[int, int, int, int]] = {}
        while type(key := self.events.get_event()).__name__ != "MappingEndEvent":
            if type(key).__name__ == "ScalarEvent":
                name = self._key(key)
            else:
                name = None
                self._complex_key(key, event, depth)
            known = len(self.problems)
            node = self._node(self.events.get_event(), depth + 1)
            if name is None:
                del self.problems[known:]
                continue
            if event.flow_style and self._no_space(key, node):
                continue
            if name in values:
                self._duplicate(key, name, keys[name])
                continue
            values[name] = node
            keys[name] = self._place(key)
        where = self._around(event, key, list(values.values()))
        return Node(self.source, values, where, _style(event), keys)

    def _key(self, event: Any) -> str | None:
        """A key's text; None for what cannot be one."""
        self._properties(event)
        text: str = event.value
        if event.style:
            return text
        if text == "<<":
            message = "'<<' is a merge key: a spec says everything where it stands"
            self._refuse(self._span(event), "yaml/alias", message, "write the keys out")
            return None
        number = text[:1] in _NUMERIC and (_INTEGER.match(text) or _FLOAT.match(text))
        if text in _CONSTANTS or number:
            message = f"the key '{text}' is no text" if text else "a key is missing"
            hint = f'quote it: "{text}"' if text else "write a key before the ':'"
            self._refuse(self._span(event), "yaml/wrong-type", message, hint)
            return None
        return text

    def _complex_key(self, event: Any, outer: Any, depth: int) -> None:
        """`{{ template }}` without quotes, or a list or mapping as a key."""
        if type(event).__name__ == "AliasEvent":
            self._alias(event, depth)
            return
        known = len(self.problems)
        self._node(event, depth + 1)
        del self.problems[known:]
        line, column = event.start_mark.line + 1, event.start_mark.column + 1
        if outer.flow_style and outer.start_mark.index == event.start_mark.index - 1:
            from gpuobs.spec.yaml_mistakes import quoted

            value = self.source.lines[line - 1][column - 2 :].partition(" #")[0].rstrip()
            span = Span(self.source.file, line, column - 1, line, column - 1 + len(value))
            message = "a value that begins with '{{' reads as a mapping"
            self._refuse(span, "yaml/syntax", message, quoted(value))
        else:
            span = Span(self.source.file, line, column, line, column + 1)
            self._refuse(
                span, "yaml/wrong-type", "a key is plain text", "write it without brackets"
            )

    def _no_space(self, event: Any, node: Node) -> bool:
        """`{node:Hostname}`: one key with a colon in it, and no value."""
        name, colon, value = event.value.partition(":")
        if not colon or event.style or node.value is not None or node.style != "plain":
            return False
        hint = f"write '{name}: {value}'"
        message = "a space is missing after the colon"
        self._refuse(self._span(event), "yaml/syntax", message, hint)
        return True

    def _duplicate(self, event: Any, name: str, first: tuple[int, int, int, int]) -> None:
        message = f"key '{name}' is there twice, and readers take one of them"
        related = (Related(Span(self.source.file, *first), "first here"),)
        hint = "keep one of them"
        self.problems.append(error(self._span(event), "yaml/duplicate-key", message, hint, related))

    def _around(self, start: Any, end: Any, inside: list[Node]) -> tuple[int, int, int, int]:
        """A list's or mapping's place. Without brackets the parser only ends it at the next thing that follows."""
        first, last = start.start_mark, end.end_mark
        if not start.flow_style and inside:
            child = inside[-1]
            return first.line + 1, first.column + 1, child.end_line, child.end_column
        return first.line + 1, first.column + 1, last.line + 1, last.column + 1

    def _block_place(self, event: Any) -> tuple[int, int, int, int]:
        """A block scalar's place, which ends with its last line that is not empty."""
        start, end = event.start_mark, event.end_mark
        lines = self.source.lines
        line, end_line = start.line + 1, end.line + (end.column > 0)
        while end_line > line and not lines[end_line - 1].strip():
            end_line -= 1
        return line, start.column + 1, end_line, len(lines[end_line - 1]) + 1


def _style(event: Any) -> Style:
    return "flow" if event.flow_style else "block"
