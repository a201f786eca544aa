"""SARIF 2.1.0, which code hosts show beside the changed lines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from gpuobs import __version__
from gpuobs.diagnostics import Diagnostic, Span

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(diagnostics: Sequence[Diagnostic]) -> str:
    codes = sorted({diagnostic.code for diagnostic in diagnostics})
    driver = {
        "name": "gpuobs",
        "version": __version__,
        "rules": [_rule(code) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(entry, codes.index(entry.code)) for entry in diagnostics],
    }
    data = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(data, indent=2, ensure_ascii=False)


def _rule(code: str) -> dict[str, Any]:
    from gpuobs.checks import codes, module

    rule: dict[str, Any] = {"id": code}
    if code in codes():
        page = (module(code).__doc__ or "").strip()
        rule["shortDescription"] = {"text": page.split("\n")[0]}
        rule["help"] = {"text": page, "markdown": page}
    return rule


def _result(diagnostic: Diagnostic, index: int) -> dict[str, Any]:
    text = diagnostic.message + (f"\nhint: {diagnostic.hint}" if diagnostic.hint else "")
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": index,
        "level": diagnostic.severity,
        "message": {"text": text},
        "locations": [{"physicalLocation": _location(diagnostic.span)}],
    }
    if diagnostic.related:
        result["relatedLocations"] = [
            {"physicalLocation": _location(r.span), "message": {"text": r.message}}
            for r in diagnostic.related
        ]
    return result


def _artifact(file: str) -> dict[str, str]:
    """A file as a URI, below the root of the repository where it is no absolute path."""
    from urllib.parse import quote

    if file.startswith("/"):
        return {"uri": "file://" + quote(file)}
    return {"uri": quote(file), "uriBaseId": "%SRCROOT%"}


def _location(span: Span) -> dict[str, Any]:
    return {
        "artifactLocation": _artifact(span.file),
        "region": {
            "startLine": span.line,
            "startColumn": span.column,
            "endLine": span.end_line,
            "endColumn": span.end_column,
        },
    }
