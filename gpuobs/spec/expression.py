"""An expression that an author wrote: parsed, or refused at the token that breaks it."""

from __future__ import annotations

from gpuobs import promql
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.spec.document import place
from gpuobs.spec.node import Node


def parse(node: Node, version: tuple[int, int]) -> promql.Parsed | Diagnostic:
    """The text of a node as Prometheus of this version reads it, or why it does not."""
    parsed = promql.parse(node.value, version)
    if not isinstance(parsed, promql.Refused):
        return parsed
    span = place(node, parsed.start, parsed.end)
    return error(span, parsed.code, parsed.message, parsed.hint)
