"""How large a set of rules is for the Prometheus operator, which refuses what does not fit into its ConfigMap."""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.diagnostics import Diagnostic, error, warning
from gpuobs.foreign.kinds import RuleSet
from gpuobs.foreign.structure import first_key
from gpuobs.spec.node import Node
from gpuobs.targets.prometheus_operator import MAX_BYTES

_NEAR = MAX_BYTES * 8 // 10


def problems(rules: RuleSet) -> Iterator[Diagnostic]:
    """An error above the operator's limit, a warning above four fifths of it, at the first group's name."""
    if rules.format not in ("prometheus", "operator") or rules.groups is None:
        return
    size = len("groups:\n") + _size(rules.groups, 0)
    if size <= _NEAR:
        return
    object_ = "this object" if rules.format == "operator" else "a PrometheusRule of this file"
    has = f"{object_} has about {size:,} bytes"
    hint = "split it into several objects; several groups in one do not help"
    group = rules.groups.get(0)
    name = group.get("name") if group is not None else None
    span = name.span if name is not None else first_key(rules.document.root)
    if size > MAX_BYTES:
        message = f"{has}, and the operator refuses more than {MAX_BYTES:,}"
        yield error(span, "target/object-too-large", message, hint)
    else:
        message = f"{has} of the {MAX_BYTES:,} that the operator takes"
        yield warning(span, "target/object-too-large", message, hint)


def _size(node: Node, indent: int) -> int:
    """Bytes of a value as YAML in block style, lists no deeper than their keys, as the operator writes it."""
    if isinstance(node.value, dict):
        return sum(
            indent + len(key) + 1 + _under(value, indent) for key, value in node.value.items()
        )
    if isinstance(node.value, list):
        return sum(2 + _size(item, indent + 2) - _first(item, indent + 2) for item in node.value)
    lines = str(node.value or "").split("\n")
    folds = len(lines) * (indent + 1) if len(lines) > 1 else 0
    return sum(len(line.encode()) for line in lines) + folds + 1


def _under(value: Node, indent: int) -> int:
    """What follows a key's colon: a text on its line, or a line break and what is indented below."""
    if isinstance(value.value, dict):
        return 1 + _size(value, indent + 2)
    if isinstance(value.value, list):
        return 1 + _size(value, indent) + indent * len(value.value)
    return 1 + _size(value, indent + 2)


def _first(item: Node, indent: int) -> int:
    """The indentation that an entry's first line does not have, for '- ' stands there."""
    return indent if isinstance(item.value, dict | list) and item.value else 0
