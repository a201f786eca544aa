"""What tests of reading share: findings as one line each, with the text that they point at."""

from __future__ import annotations

from gpuobs.diagnostics import Diagnostic
from gpuobs.spec.document import read
from gpuobs.spec.node import Node
from gpuobs.spec.shape import shape


def node_of(text: str) -> Node:
    """The document of a text that has no mistake in it."""
    node, problems = read("a.yaml", text.encode())
    assert problems == []
    assert node is not None
    return node


def said(text: str, diagnostics: list[Diagnostic]) -> list[str]:
    """`line:column code [what it points at] message -> hint`."""
    lines = text.split("\n")
    result = []
    for found in diagnostics:
        span = found.span
        last = span.end_column - 1 if span.end_line == span.line else None
        pointed = lines[span.line - 1][span.column - 1 : last]
        place = f"{span.line}:{span.column} {found.code} [{pointed}]"
        result.append(f"{place} {found.message} -> {found.hint}")
    return result


def read_says(text: str) -> list[str]:
    return said(text, read("a.yaml", text.encode())[1])


def shape_says(text: str) -> list[str]:
    return said(text, shape(node_of(text))[1])
