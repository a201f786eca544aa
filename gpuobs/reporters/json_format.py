"""JSON for other tools: lines and columns from 1, the end excluded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from gpuobs.diagnostics import Diagnostic, Span
from gpuobs.reporters import counted


def render(diagnostics: Sequence[Diagnostic]) -> str:
    found = {"diagnostics": [data(entry) for entry in diagnostics], "summary": counted(diagnostics)}
    return json.dumps(found, indent=2, ensure_ascii=False)


def data(diagnostic: Diagnostic) -> dict[str, Any]:
    """One diagnostic as an object."""
    return {
        **_place(diagnostic.span),
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
        "related": [{**_place(r.span), "message": r.message} for r in diagnostic.related],
    }


def _place(span: Span) -> dict[str, Any]:
    return {
        "file": span.file,
        "line": span.line,
        "column": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
