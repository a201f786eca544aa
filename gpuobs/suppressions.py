"""`# gpuobs: ignore area/name -- reason` on a finding's line or the one above silences that one finding.

Where a rule begins on that line, or on the one below a comment that stands alone, it silences it for all of the rule.
A comment may name several codes, separated by commas, and a last day: `ignore area/name until 2027-03-31 -- reason`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from gpuobs.diagnostics import Diagnostic, Span, error, warning
from gpuobs.spec.node import Node, Source

_COMMENT = re.compile(r"#\s*gpuobs:\s*ignore\b(?P<what>.*?)(?:--\s*(?P<reason>.*\S)|\s*\Z)")
_WHAT = re.compile(
    r"\s*(?P<codes>[\w/-]+(?:\s*,\s*[\w/-]+)*)(?:\s+(?P<until>until)\b\s*(?P<day>\S.*?)?)?\s*\Z"
)
_CODE = re.compile(r"[\w/-]+")
_OF_RULE = frozenset({"alert", "record", "expr", "when", "signal"})
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One code of a comment; `span` is the comment where it names no other, `last` the last line that it is about."""

    span: Span
    last: int
    code: str
    until: date | None
    remedy: str


def apply(
    problems: Iterable[Diagnostic],
    sources: Iterable[Source],
    today: date | None = None,
    documents: Sequence[Node] = (),
) -> list[Diagnostic]:
    """The problems without those that are silenced, and findings about suppressions that lack a reason, a use or time.

    Without a `today` no day is over. `documents` are those of the sources, as far as they could be read.
    """
    kept: list[Diagnostic] = []
    found: list[Suppression] = []
    for read in (entry for source in sources for entry in _suppressions(source, documents)):
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
        and entry.span.line <= problem.span.line <= entry.last
    )


def _suppressions(source: Source, documents: Sequence[Node]) -> Iterator[Suppression | Diagnostic]:
    """What the comments of a file silence, and what is wrong with those that silence nothing."""
    if "gpuobs:" not in source.text:
        return
    own = (document for document in documents if document.source.file == source.file)
    ends = {rule.line: rule.end_line for document in own for rule in _rules(document)}
    for number, line in enumerate(source.lines, 1):
        comment = _COMMENT.search(line)
        if comment:
            alone = not line[: comment.start()].strip()
            last = ends.get(number + 1 if alone else number, number + 1)
            yield from _read(source.file, number, last, comment)


def _rules(document: Node) -> Iterator[Node]:
    """The rules of a document, whatever kind it has: entries of lists that say what one is made of."""
    pending = [document]
    while pending:
        node = pending.pop()
        if isinstance(node.value, dict):
            pending += node.value.values()
        elif isinstance(node.value, list):
            pending += node.value
            yield from (
                item
                for item in node.value
                if isinstance(item.value, dict) and not _OF_RULE.isdisjoint(item.value)
            )


def _read(
    file: str, line: int, last: int, comment: re.Match[str]
) -> Iterator[Suppression | Diagnostic]:
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
        yield Suppression(place, last, code.group(), until, remedy)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if _DAY.match(text) else None
    except ValueError:
        return None
