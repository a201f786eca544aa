"""From a range of a value to its place in the file, in every style that YAML has."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuobs.diagnostics import Span
from gpuobs.spec.document import place, read
from gpuobs.spec.node import Node
from tests.spec.reading import node_of


def _pointed(text: str, word: str) -> list[tuple[int, int, str]]:
    """Line, column and text of every place of a word in the value of `e`."""
    node = node_of(text).value["e"]
    lines = text.split("\n")
    found = []
    start = node.value.find(word)
    while start >= 0:
        span = place(node, start, start + len(word))
        found.append(
            (span.line, span.column, lines[span.line - 1][span.column - 1 : span.end_column - 1])
        )
        start = node.value.find(word, start + 1)
    return found


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("e: up == up\n", [(1, 4, "up"), (1, 10, "up")]),
        ("e: up ==\n   up\n", [(1, 4, "up"), (2, 4, "up")]),
        ("e: up ==\n\n\n   up\n", [(1, 4, "up"), (4, 4, "up")]),
        ("e:\n  'it''s up\n\n  and up'\n", [(2, 10, "up"), (4, 7, "up")]),
        ('e: "\\t\\u00e9 up \\\n  \\"up"\n', [(1, 14, "up"), (2, 5, "up")]),
        ("e: |\n  # up\n  up\n", [(2, 5, "up"), (3, 3, "up")]),
        ("e: |2-\n    up\n  up\n", [(2, 5, "up"), (3, 3, "up")]),
        ("e: >\n  up\n  up\n\n  up\n\n\n    up\n  up\n",
         [(2, 3, "up"), (3, 3, "up"), (5, 3, "up"), (8, 5, "up"), (9, 3, "up")]),
        ("e: >+ # why\n\n   up\n\n", [(3, 4, "up")]),
        ("é: 1\ne: 😀 up\n", [(2, 6, "up")]),
        ('e: "\\x75p u\\x70"\n', [(1, 5, "\\x75p"), (1, 11, "u\\x70")]),
    ],
)  # fmt: skip
def test_a_word_is_found_where_it_stands(text: str, places: list[tuple[int, int, str]]) -> None:
    assert _pointed(text, "up") == places


def test_an_empty_range_gives_the_next_character() -> None:
    node = node_of("e: up ==\n").value["e"]
    assert place(node, 3, 3) == Span("a.yaml", 1, 7, 1, 8)
    assert place(node, 5, 5) == Span("a.yaml", 1, 9, 1, 10)
    assert place(node, 99, 100) == Span("a.yaml", 1, 9, 1, 10)


def test_a_range_over_several_lines() -> None:
    node = node_of("e: |\n  a\n  b\n").value["e"]
    assert place(node, 0, 3) == Span("a.yaml", 2, 3, 3, 4)


def test_what_is_no_text_has_one_place() -> None:
    node = node_of("e: 0x10\nf: ''\n")
    assert place(node.value["e"], 0, 1) == Span("a.yaml", 1, 4, 1, 8)
    assert place(node.value["f"], 0, 0) == Span("a.yaml", 2, 4, 2, 6)


_TEXT = st.text(alphabet="ab '\"\\:#{}\n\t-é😀%", min_size=1, max_size=30)


def _dumped(value: str, style: str | None, width: int, nested: bool) -> str:
    class Dumper(yaml.SafeDumper):
        pass

    def represent(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
        own = style if text == value else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=own)

    Dumper.add_representer(str, represent)
    data: Any = {"outer": {"key": [value]}} if nested else {"key": value, "after": 1}
    return str(yaml.dump(data, Dumper=Dumper, width=width, allow_unicode=True))


def _written(text: str) -> tuple[Node, str] | None:
    node, problems = read("a.yaml", text.encode())
    if node is None or problems:
        return None
    found = node.get("outer", "key", 0) or node.get("key")
    return (found, found.value) if found and isinstance(found.value, str) else None


@settings(max_examples=600, deadline=None)
@given(
    _TEXT, st.sampled_from([None, "'", '"', "|", ">"]), st.sampled_from([10, 1000]), st.booleans()
)
def test_each_character_is_found(value: str, style: str | None, width: int, nested: bool) -> None:
    text = _dumped(value, style, width, nested)
    written = _written(text)
    if written is None:
        return
    node, read_value = written
    lines = text.split("\n")
    before = (0, 0)
    for index, character in enumerate(read_value):
        span = place(node, index, index + 1)
        assert (span.line, span.column) > before
        before = span.line, span.column
        found = lines[span.line - 1][span.column - 1 : span.end_column - 1]
        folded = character in " \n" and found in ("", " ")
        assert found == character or folded or found[0] == "\\" or found == "''"
