"""Diagnostics for people and for machines, one file a format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from gpuobs.diagnostics import Diagnostic

# A line of a file by its number from 1; empty where it cannot be had.
ReadLine = Callable[[str, int], str]

FORMATS = {
    "text": "text",
    "json": "json_format",
    "sarif": "sarif",
    "github": "github",
    "junit": "junit",
}


def render(
    name: str, diagnostics: Sequence[Diagnostic], read_line: ReadLine, *, color: bool = False
) -> str:
    """The diagnostics in a format, without a line end at the very end."""
    module = import_module(f"gpuobs.reporters.{FORMATS[name]}")
    if name == "text":
        text: str = module.render(diagnostics, read_line, color=color)
    else:
        text = module.render(diagnostics)
    return text


def counted(diagnostics: Sequence[Diagnostic]) -> dict[str, int]:
    """How many errors and warnings there are."""
    errors = sum(diagnostic.severity == "error" for diagnostic in diagnostics)
    return {"errors": errors, "warnings": len(diagnostics) - errors}
