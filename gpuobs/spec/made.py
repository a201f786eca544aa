"""Nodes that we make, which stand where an author wrote what they follow from."""

from __future__ import annotations

from typing import Any

from gpuobs.spec.node import Node


def made(at: Node, value: Any) -> Node:
    """Plain data as nodes at the place of another one; nodes within it stay where they are."""
    if isinstance(value, Node):
        return value
    place = (at.line, at.column, at.end_line, at.end_column)
    if isinstance(value, dict):
        nodes = {key: made(at, child) for key, child in value.items()}
        return Node(at.source, nodes, place, keys=dict.fromkeys(nodes, place))
    if isinstance(value, list | tuple):
        return Node(at.source, [made(at, child) for child in value], place)
    return Node(at.source, str(value) if isinstance(value, str) else value, place)
