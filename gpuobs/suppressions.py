"""`# gpuobs: ignore area/name -- reason` on a finding's line or the one above silences that one finding.

A comment may name several codes, separated by commas, and a last day: `ignore area/name until 2027-03-31 -- reason`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from gpuobs.diagnostics import Diagnostic, Span, error, warning
from gpuobs.spec.node import Source

_COMMENT = re.compile(r"#\s*gpuobs:\s*ignore\b(?P<what>.*?)(?:--\s*(?P<reason>.*\S)|\s*\Z)")
_WHAT = re.compile(
    r"\s*(?P<codes>[\w/-]+(?:\s*,\s*[\w/-]+)*)(?:\s+(?P<until>until)\b\s*(?P<day>\S.*?)?)?\s*\Z"
)
_CODE = re.compile(r"[\w/-]+")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One code of a comment; `span` is the comment where it names no other, `until` the last day."""

    span: Span
    code: str
    until: date | None
    remedy: str


def apply(
    problems: Iterable[Diagnostic], sources: Iterable[Source], today: date | None = None
) -> list[Diagnostic]:
    """The problems without those that are silenced, and findings about suppressions that lack a reason, a use or time.

    Without a `today` no day is over.
    """
    kept: list[Diagnostic] = []
    found: list[Suppression] = []
    for read in (entry for source in sources for entry in _suppressions(source)):
        if isinstance(read, Suppression):
            found.append(read)
        else:
            kept.append(read)
    used: set[Suppression] = set()
    for problem in problems:
        covering = [entry for entry in found if _covers(entry, problem)]
        used.update(covering)
        if all(_is_over(entry, today) for entry in covering):
            kept.append(problem)
    for entry in found:
        if entry not in used:
            message = f"nothing here is reported as '{entry.code}'"
            kept.append(warning(entry.span, "suppression/unused", message, entry.remedy))
        elif _is_over(entry, today):
            message = f"'{entry.code}' was to be ignored until {entry.until}, which is over"
            hint = "mend what is reported, or give a later day and say why"
            kept.append(warning(entry.span, "suppression/expired", message, hint))
    return kept


def _is_over(entry: Suppression, today: date | None) -> bool:
    return entry.until is not None and today is not None and today > entry.until


def _covers(entry: Suppression, problem: Diagnostic) -> bool:
    return (
        problem.code == entry.code
        and problem.span.file == entry.span.file
        and problem.span.line in (entry.span.line, entry.span.line + 1)
    )


def _suppressions(source: Source) -> Iterator[Suppression | Diagnostic]:
    """What the comments of a file silence, and what is wrong with those that silence nothing."""
    if "gpuobs:" not in source.text:
        return
    for number, line in enumerate(source.lines, 1):
        comment = _COMMENT.search(line)
        if comment:
            yield from _read(source.file, number, comment)


def _read(file: str, line: int, comment: re.Match[str]) -> Iterator[Suppression | Diagnostic]:
    def span(start: int, end: int) -> Span:
        return Span(file, line, start + 1, line, end + 1)

    what = _WHAT.match(comment.string, comment.start("what"), comment.end("what"))
    whole = span(*comment.span())
    if what is None or not comment["reason"]:
        hint = "# gpuobs: ignore area/name -- why this is right here"
        message = "a suppression names a code and gives a reason"
        yield error(whole, "suppression/incomplete", message, hint)
        return
    until = _day(what["day"] or "")
    if what["until"] and until is None:
        message = f"'{what['day']}' is no day" if what["day"] else "'until' wants a day"
        place = span(*what.span("day" if what["day"] else "until"))
        hint = "the last day as year, month and day, such as 'until 2027-03-31'"
        yield error(place, "suppression/incomplete", message, hint)
        return
    codes = list(_CODE.finditer(comment.string, *what.span("codes")))
    for code in codes:
        place, remedy = span(*code.span()), f"remove '{code.group()}' from the comment"
        if len(codes) == 1:
            place, remedy = whole, "remove the comment"
        yield Suppression(place, code.group(), until, remedy)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if _DAY.match(text) else None
    except ValueError:
        return None
