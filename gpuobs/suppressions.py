"""`# gpuobs: ignore area/name -- reason` on a finding's line or the one above silences that one finding."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gpuobs.diagnostics import Diagnostic, Span, error, warning
from gpuobs.spec.node import Source

_COMMENT = re.compile(r"#\s*gpuobs:\s*ignore\b\s*(?P<code>[\w/-]*)\s*(?:--\s*(?P<reason>.*\S))?")


@dataclass(frozen=True, slots=True)
class Suppression:
    span: Span
    code: str
    reason: str


def apply(problems: Iterable[Diagnostic], sources: Iterable[Source]) -> list[Diagnostic]:
    """The problems without those that are silenced, and findings about suppressions that lack a reason or a use."""
    kept: list[Diagnostic] = []
    found = [entry for source in sources for entry in _suppressions(source)]
    used: set[Suppression] = set()
    for problem in problems:
        silencing = [entry for entry in found if entry.reason and _covers(entry, problem)]
        used.update(silencing)
        if not silencing:
            kept.append(problem)
    for entry in found:
        if not entry.code or not entry.reason:
            hint = "# gpuobs: ignore area/name -- why this is right here"
            message = "a suppression names a code and gives a reason"
            kept.append(error(entry.span, "suppression/incomplete", message, hint))
        elif entry not in used:
            message = f"nothing here is reported as '{entry.code}'"
            kept.append(warning(entry.span, "suppression/unused", message, "remove the comment"))
    return kept


def _covers(entry: Suppression, problem: Diagnostic) -> bool:
    return (
        problem.code == entry.code
        and problem.span.file == entry.span.file
        and problem.span.line in (entry.span.line, entry.span.line + 1)
    )


def _suppressions(source: Source) -> Iterable[Suppression]:
    if "gpuobs:" not in source.text:
        return
    for number, line in enumerate(source.lines, 1):
        match = _COMMENT.search(line)
        if match:
            span = Span(source.file, number, match.start() + 1, number, match.end() + 1)
            yield Suppression(span, match["code"], match["reason"] or "")
