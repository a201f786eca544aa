"""YAML and JSON of others: several documents a file, with anchors, aliases and merge keys written out.

What is text in a rule file is not told apart from numbers and truth values here: a plain scalar is the text that was
written, and only nothing is None.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from gpuobs.diagnostics import Diagnostic, Span, error
from gpuobs.spec.document import MAX_DEPTH, Reader, Unreadable, plain_value, read_on
from gpuobs.spec.node import Node, Source

# Values that are read of one file, each as often as aliases repeat it; a rule has about ten. Long texts count as several.
MAX_VALUES = 300_000
_LONG = 50  # characters
_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
_MERGE = "<<"
_STANDARD_TAG = "tag:yaml.org,2002:"
_PROPERTIES = re.compile(r"(?:[&!][^\s,\[\]{}]*[ ]+)+")


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a stream; `start` is its `---`, or its first character."""

    root: Node
    start: Span


@dataclass(frozen=True, slots=True)
class _Anchored:
    """What an anchor names, with how many values it has and how deep it goes."""

    node: Node
    values: int
    depth: int


def read_stream(source: Source) -> tuple[tuple[Document, ...], list[Diagnostic]]:
    """The documents of a text that are not empty; none of them where the text has a mistake of YAML."""
    reader, mistakes = read_on(_ForeignReader, source)
    if reader is None:
        return (), mistakes
    usable = not (reader.holes or reader.given_up)
    return tuple(reader.documents) if usable else (), reader.problems


class _ForeignReader(Reader):
    """Takes what Prometheus and Kubernetes take."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.documents: list[Document] = []
        self._anchors: dict[str, _Anchored] = {}
        self._values = 0
        self._deepest = 0

    def _document(self, start: Any) -> bool:
        self._anchors = {}
        root = self._node(self.events.get_event(), 0)
        self.events.get_event()  # document end
        if root.value is not None:
            self.documents.append(Document(root, self._span(start)))
        return True

    def _count(self, values: int, event: Any) -> None:
        self._values += values
        if self._values > MAX_VALUES:
            message = f"this file has more than the {MAX_VALUES:,} values that are read"
            hint = "split it; an alias counts as often as it repeats what it names"
            self.problems.append(error(self._span(event), "yaml/too-large", message, hint))
            raise Unreadable

    def _node(self, event: Any, depth: int) -> Node:
        self._count(1, event)
        self._deepest = max(self._deepest, depth)
        name = getattr(event, "anchor", None)
        if name is None or type(event).__name__ == "AliasEvent":
            return super()._node(event, depth)
        values, deepest = self._values, self._deepest
        self._deepest = depth
        node = super()._node(event, depth)
        anchored = _Anchored(node, self._values - values + 1, self._deepest - depth)
        self._anchors[name] = anchored
        self._deepest = max(deepest, self._deepest)
        return node

    def _alias(self, event: Any, depth: int) -> Node:
        anchored = self._anchors.get(event.anchor)
        if anchored is None:
            message = f"'*{event.anchor}' names no anchor above it"
            hint = "write the value out; a text that begins with '*' wants quotes"
            self._refuse(self._span(event), "yaml/alias", message, hint)
            return Node(self.source, None, self._place(event))
        self._count(anchored.values, event)
        self._deepest = max(self._deepest, depth + anchored.depth)
        if self._deepest > MAX_DEPTH:
            message = f"nested deeper than {MAX_DEPTH} levels"
            hint = "make it flatter"
            self.problems.append(error(self._span(event), "yaml/too-deep", message, hint))
            raise Unreadable
        return anchored.node

    def _refuse_anchor(self, event: Any) -> None:
        """An anchor is no mistake here."""

    def _refuse_tag(self, event: Any) -> None:
        """A tag that says what YAML would read without it is no mistake."""
        if event.tag != "!" and not event.tag.startswith(_STANDARD_TAG):
            super()._refuse_tag(event)

    def _scalar(self, event: Any) -> Node:
        self._count(len(event.value) // _LONG, event)
        node = super()._scalar(event)
        if event.anchor is not None or event.tag is not None:
            line = self.source.lines[node.line - 1]
            before = _PROPERTIES.match(line, node.column - 1)
            node.column = before.end() + 1 if before else node.column
        return node

    def _plain(self, event: Any, text: str) -> Any:  # noqa: ARG002
        return None if text in _NOTHING else text

    def _key(self, event: Any) -> str | None:
        text: str = event.value
        return text if text or event.style else super()._key(event)

    def _mapping(self, event: Any, depth: int) -> Node:
        node = super()._mapping(event, depth)
        if _MERGE in node.value:
            self._merge(node, event)
        return node

    def _merge(self, node: Node, event: Any) -> None:
        """The keys of what `<<` names, behind the mapping's own."""
        assert node.keys is not None
        named = node.value.pop(_MERGE)
        del node.keys[_MERGE]
        for source in named.value if isinstance(named.value, list) else [named]:
            if not isinstance(source.value, dict):
                message = "'<<' merges a mapping or a list of mappings"
                hint = "such as '<<: *name', where '&name' stands on a mapping"
                self._refuse(source.span, "yaml/wrong-type", message, hint)
                continue
            self._count(len(source.value), event)
            for key, value in source.value.items():
                if key not in node.value:
                    node.value[key] = value
                    node.keys[key] = source.keys[key]


def typed(node: Node) -> Node:
    """A node in which plain scalars are the numbers and truth values that YAML 1.2 makes of them."""
    value = node.value
    if isinstance(value, dict):
        value = {key: typed(each) for key, each in value.items()}
    elif isinstance(value, list):
        value = [typed(each) for each in value]
    elif isinstance(value, str) and node.style == "plain":
        value = plain_value(value)
    place = (node.line, node.column, node.end_line, node.end_column)
    return Node(node.source, value, place, node.style, node.keys)
