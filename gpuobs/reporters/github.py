"""GitHub's workflow commands, which annotate the changed lines of a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from gpuobs.diagnostics import Diagnostic


def render(diagnostics: Sequence[Diagnostic]) -> str:
    return "\n".join(_line(diagnostic) for diagnostic in diagnostics)


def _line(diagnostic: Diagnostic) -> str:
    span = diagnostic.span
    properties = {
        "file": span.file,
        "line": span.line,
        "col": span.column,
        "endLine": span.end_line,
    }
    if span.end_line == span.line:
        properties["endColumn"] = span.end_column
    properties["title"] = diagnostic.code
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    text = diagnostic.message + (f"\nhint: {diagnostic.hint}" if diagnostic.hint else "")
    return f"::{diagnostic.severity} {listed}::{_message(text)}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
