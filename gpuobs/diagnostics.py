"""What gpuobs says about an author's mistake: a place, a code, a sentence and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of one file. Lines and columns count from 1 in characters; the end is excluded."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def holds(self, other: Span) -> bool:
        """Whether another stretch lies within this one."""
        begins = (self.line, self.column) <= (other.line, other.column)
        ends = (other.end_line, other.end_column) <= (self.end_line, self.end_column)
        return self.file == other.file and begins and ends


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that explains a diagnostic, such as the first of two definitions."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `code` is `area/name` and names its page under `gpuobs explain`.

    `message` is lower-case and names things in single quotes; `hint` says what to do, in a form that can be pasted.
    """

    span: Span
    code: str
    severity: Severity
    message: str
    hint: str = ""
    related: tuple[Related, ...] = ()


def error(
    span: Span, code: str, message: str, hint: str = "", related: tuple[Related, ...] = ()
) -> Diagnostic:
    """A diagnostic that keeps every artifact from being written."""
    return Diagnostic(span, code, "error", message, hint, related)


def warning(
    span: Span, code: str, message: str, hint: str = "", related: tuple[Related, ...] = ()
) -> Diagnostic:
    """A diagnostic that fails a run only with `--strict`."""
    return Diagnostic(span, code, "warning", message, hint, related)


def in_order(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Sorted by place, then code and message, each reported once."""
    return sorted(set(diagnostics), key=lambda d: (d.span, d.code, d.message))


class EnvironmentProblem(Exception):
    """The environment lacks something (no promtool, an unreadable folder): one line for the user, exit 2."""
