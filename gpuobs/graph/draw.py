"""The graph for other programs: JSON, Mermaid and DOT."""

from __future__ import annotations

import json
from typing import Any

from gpuobs.graph import KINDS, Graph, Node


def as_json(graph: Graph) -> str:
    """Nodes and edges; an edge names its ends by their `id`."""
    content = {
        "nodes": [data(node) for node in graph.nodes],
        "edges": [{"from": _id(feeder), "to": _id(user)} for feeder, user in graph.edges],
    }
    return json.dumps(content, indent=2, ensure_ascii=False)


def as_mermaid(graph: Graph) -> str:
    """A flowchart from left to right, as GitHub and GitLab draw it in a page."""
    number = {node: f"n{index}" for index, node in enumerate(graph.nodes)}
    lines = ["flowchart LR"]
    for node in graph.nodes:
        left, right = KINDS[node.kind].mermaid
        lines.append(f'  {number[node]}{left}"{_in_mermaid(node.name)}"{right}')
    lines += [f"  {number[feeder]} --> {number[user]}" for feeder, user in graph.edges]
    return "\n".join(lines)


def as_dot(graph: Graph) -> str:
    """A digraph of Graphviz, for `dot -Tsvg`."""
    lines = ["digraph gpuobs {", "  rankdir=LR;", '  node [fontname="sans-serif"];']
    for node in graph.nodes:
        label, shape = _in_dot(node.name), KINDS[node.kind].dot
        lines.append(f'  "{_in_dot(_id(node))}" [label="{label}", shape={shape}];')
    for feeder, user in graph.edges:
        lines.append(f'  "{_in_dot(_id(feeder))}" -> "{_in_dot(_id(user))}";')
    return "\n".join([*lines, "}"])


def _id(node: Node) -> str:
    return f"{node.kind}:{node.name}"


def data(node: Node) -> dict[str, Any]:
    """A node for JSON; one without a place of its own, such as a built-in signal, has no file and no line."""
    place = {"file": node.span.file, "line": node.span.line} if node.span is not None else {}
    return {"id": _id(node), "kind": node.kind, "name": node.name, "home": node.home, **place}


def _in_mermaid(text: str) -> str:
    """Within quotes; what Mermaid, Markdown or HTML could take for their own goes by its number."""
    plain = "_:.- /"
    return "".join(c if c.isalnum() or c in plain else f"#{ord(c)};" for c in text) or " "


def _in_dot(text: str) -> str:
    """Within quotes; a label's backslash would be an escape of Graphviz."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


FORMATS = {"json": as_json, "mermaid": as_mermaid, "dot": as_dot}
