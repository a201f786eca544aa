"""The YAML parser's words turned into what the author did, and how to mend it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpuobs.diagnostics import Diagnostic, Span, error
from gpuobs.spec.node import Source

_KEY = r"(?:[\w./$-]+|\"[^\"]*\"|'[^']*')"
_VALUE = re.compile(rf"(?P<before>\s*(?:- +)*(?:{_KEY}:[ ]+)?)(?P<value>\S.*?)\s*(?:\s#.*)?\Z")
_ENTRY = re.compile(rf"(?P<before>\s*(?:- +)*)(?P<key>{_KEY}):(?:\s|\Z)")
_MISSING_SPACE = re.compile(r"\s*(?:- +)*(?P<key>[A-Za-z_]\w*):(?P<value>[^\s/].*?)\s*\Z")
_BEGINS = {
    "%": "nothing that a value may begin with",
    "@": "nothing that a value may begin with",
    "`": "nothing that a value may begin with",
    "*": "an alias",
    "&": "an anchor",
    "!": "a tag",
    "?": "a key of several lines",
    ",": "the next entry of a list",
    "]": "the end of a list",
    "}": "the end of a mapping",
    "{": "a mapping",
    "[": "a list",
}


@dataclass(frozen=True, slots=True)
class Mistake:
    """What stopped the parser. Where `blank` is set, reading can go on with the span's text blanked out."""

    diagnostic: Diagnostic
    blank: bool = False

    def mended(self, text: str) -> str | None:
        """The text with the mistake blanked out in place, so that every other place stays; None where that is no use."""
        span = self.diagnostic.span
        if not self.blank or span.line != span.end_line:
            return None
        lines = text.split("\n")
        line = lines[span.line - 1]
        stretch = "x" * (span.end_column - span.column)
        lines[span.line - 1] = line[: span.column - 1] + stretch + line[span.end_column - 1 :]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Stop:
    """Where the parser stopped and what it said; `since` is where the construct began that it was reading."""

    source: Source
    line: int
    column: int
    words: str
    since: tuple[int, int] | None

    @property
    def text(self) -> str:
        return self.source.lines[self.line]

    def span(self, line: int, start: int, last: int) -> Span:
        """A stretch of a line from its first to its last character, both from 0."""
        return Span(self.source.file, line + 1, start + 1, line + 1, max(last, start) + 2)


def explain(source: Source, problem: Exception) -> Mistake:
    """What the author did, for what the parser refused."""
    mark: Any = getattr(problem, "problem_mark", None) or getattr(problem, "context_mark", None)
    context: Any = getattr(problem, "context_mark", None)
    last = len(source.lines) - 1
    stop = _Stop(
        source,
        min(mark.line, last) if mark else 0,
        mark.column if mark else 0,
        str(getattr(problem, "problem", None) or str(problem).split("\n")[0]),
        (min(context.line, last), context.column) if context else None,
    )
    for recognise in _RECOGNISERS:
        found = recognise(stop)
        if found is not None:
            return found
    column = min(stop.column, len(stop.text))
    span = stop.span(stop.line, column, column)
    message = f"this is no YAML: {stop.words}"
    return Mistake(error(span, "yaml/syntax", message, "check the indentation and the quotes"))


def _syntax(span: Span, message: str, hint: str, blank: bool = False) -> Mistake:
    return Mistake(error(span, "yaml/syntax", message, hint), blank)


_SHOWN = 200  # characters of a text that a hint repeats


def quoted(value: str) -> str:
    """How to write a text so that YAML takes it as it is."""
    if len(value) > _SHOWN:
        return "put it in quotes"
    if "'" not in value:
        return f"quote it: '{value}'"
    if '"' not in value and "\\" not in value:
        return f'quote it: "{value}"'
    return "write it on the next line, indented, after '|'"


def _value(text: str) -> tuple[int, str] | None:
    """Where the value of a line begins, and the value without a comment."""
    match = _VALUE.match(text)
    return (match.start("value"), match["value"]) if match else None


def _tab(stop: _Stop) -> Mistake | None:
    match = re.match(r" *\t", stop.text)
    if match is None and stop.text[stop.column : stop.column + 1] != "\t":
        return None
    column = match.end() - 1 if match else stop.column
    span = stop.span(stop.line, column, column)
    return Mistake(error(span, "yaml/tab", "a tab in the indentation", "use spaces"))


def _conflict(stop: _Stop) -> Mistake | None:
    for line in {stop.line, stop.since[0] if stop.since else stop.line}:
        if re.match(r"(<{7}|={7}|>{7})( |\Z)", stop.source.lines[line]):
            message = "a conflict of a merge is not resolved"
            return _syntax(stop.span(line, 0, 6), message, "resolve it and remove the markers")
    return None


def _escape(stop: _Stop) -> Mistake | None:
    if "escape" not in stop.words and "hexdecimal" not in stop.words:
        return None
    start = stop.text.rfind("\\", 0, stop.column + 1)
    hint = "in double quotes a backslash begins an escape: double it, use single quotes, or a block after '|'"
    span = stop.span(stop.line, start, start + 1)
    return _syntax(span, "an escape that YAML does not know", hint, blank=True)


def _unclosed_quote(stop: _Stop) -> Mistake | None:
    if stop.since is None or "unexpected" not in stop.words:
        return None
    line, column = stop.since
    return _open_quote(stop, line, column)


def _open_quote(stop: _Stop, line: int, column: int) -> Mistake | None:
    quote = stop.source.lines[line][column : column + 1]
    if quote not in ("'", '"'):
        return None
    message = f"this {quote} is not closed"
    return _syntax(stop.span(line, column, column), message, f"close it with {quote}")


def _after_quote(stop: _Stop) -> Mistake | None:
    """`a: "b" c`, `a: 'it's'`, or the end of a quote that was left open some lines before."""
    if not re.search("expected|not allowed|cannot start", stop.words):
        return None
    found = _value(stop.text)
    quote = found[1][0] if found else ""
    if not found or quote not in ("'", '"'):
        return _quote_of_another_line(stop, stop.text[: stop.column].rstrip()[-1:])
    if stop.column <= found[0] + 1:
        return _quote_of_another_line(stop, quote)
    if not 0 < found[1].find(quote, 1) < stop.column - found[0]:
        return None
    start, value = found
    span = stop.span(stop.line, start, start + len(value) - 1)
    whole = value.endswith(quote) and (value.count(quote) == 3 or "{{" in value)
    inner = value[1:-1] if whole else value
    return _syntax(span, f"text goes on after the closing {quote}", quoted(inner), blank=True)


def _quote_of_another_line(stop: _Stop, quote: str) -> Mistake | None:
    for line in range(stop.line - 1, -1, -1) if quote in ("'", '"') else ():
        found = _value(stop.source.lines[line])
        if found and found[1][0] == quote:
            return _open_quote(stop, line, found[0])
    return None


def _missing_space(stop: _Stop) -> Mistake | None:
    if "could not find expected ':'" in stop.words and stop.since:
        line = stop.since[0]
    elif "mapping values are not allowed" in stop.words:
        line = stop.line - 1
    else:
        return None
    match = _MISSING_SPACE.match(stop.source.lines[line]) if line >= 0 else None
    if match is None:
        return None
    span = stop.span(line, match.start("key"), match.end("key") - 1)
    hint = f"write '{match['key']}: {match['value']}'"
    return _syntax(span, "a space is missing after the colon", hint)


def _colon(stop: _Stop) -> Mistake | None:
    """`: ` inside a value, or a key where none can be."""
    if "mapping values are not allowed" not in stop.words:
        return None
    found = _value(stop.text)
    if found and found[0] <= stop.column and _ENTRY.match(stop.text[: found[0]]):
        start, value = found
        span = stop.span(stop.line, start, start + len(value) - 1)
        message = "': ' inside a value begins another mapping"
        return _syntax(span, message, quoted(value), blank=True)
    entry = _ENTRY.match(stop.text)
    above = stop.line - 1
    while above > 0 and not stop.source.lines[above].strip():
        above -= 1
    previous = _ENTRY.match(stop.source.lines[above]) if above >= 0 else None
    if entry and previous:
        span = stop.span(stop.line, entry.start("key"), entry.end("key") - 1)
        message = f"'{entry['key']}' is indented deeper than the keys beside it"
        hint = f"begin it at column {previous.start('key') + 1}, as '{previous['key']}' in line {above + 1}"
        return _syntax(span, message, hint)
    return _no_key(stop, above) if entry and above >= 0 else None


def _no_colon(stop: _Stop) -> Mistake | None:
    if "could not find expected ':'" not in stop.words or stop.since is None:
        return None
    return _no_key(stop, stop.since[0])


def _no_key(stop: _Stop, line: int) -> Mistake:
    text = stop.source.lines[line].rstrip()
    start = len(text) - len(text.lstrip())
    span = stop.span(line, start, len(text) - 1)
    if re.match(r"-\w", text.lstrip()):
        hint = f"write '- {text.lstrip()[1:]}'"
        return _syntax(span, "a space is missing after the '-'", hint)
    hint = "add a colon and a value, or indent it if it goes on with the text above"
    return _syntax(span, "this line is no 'key: value'", hint)


def _block_header(stop: _Stop) -> Mistake | None:
    found = _value(stop.text)
    if "comment or line break" not in stop.words or not found or found[1][0] not in "|>":
        return None
    start, value = found
    span = stop.span(stop.line, start + 1, start + len(value) - 1)
    return _syntax(span, f"text on the line of '{value[0]}'", "begin it on the next line, indented")


def _open_bracket(stop: _Stop) -> Mistake | None:
    match = re.match(r"did not find expected ',' or '([]}])'", stop.words)
    if match is None or stop.since is None:
        return None
    line, column = stop.since
    if line != stop.line:
        opening = stop.source.lines[line][column]
        message = f"this '{opening}' is not closed"
        return _syntax(stop.span(line, column, column), message, f"close it with '{match[1]}'")
    message = f"a ',' or '{match[1]}' is wanted here"
    hint = "quote an entry that has one of , [ ] { } in it"
    return _syntax(stop.span(stop.line, stop.column, stop.column), message, hint)


def _beginning(stop: _Stop) -> Mistake | None:
    """A value that begins with a character that means something to YAML."""
    found = _value(stop.text)
    if found is None and stop.since is not None:
        return None
    if found is None or found[1][0] not in _BEGINS or found[0] > stop.column:
        return None
    start, value = found
    span = stop.span(stop.line, start, start + len(value) - 1)
    opening = "{{" if value.startswith("{{") else value[0]
    if value[0] in "{[" and value.endswith(_CLOSING[value[0]] * 2) and opening != "{{":
        extra = stop.span(stop.line, start + len(value) - 1, start + len(value) - 1)
        return _syntax(extra, f"a '{value[-1]}' too many", "remove it")
    means = "a mapping" if opening == "{{" else _BEGINS[opening]
    message = f"a value that begins with '{opening}' reads as {means}"
    if means.startswith("nothing"):
        message = f"a value cannot begin with '{opening}'"
    return _syntax(span, message, quoted(value), blank=start > 0)


_CLOSING = {"{": "}", "[": "]"}


def _no_entry(stop: _Stop) -> Mistake | None:
    if "expected '-' indicator" not in stop.words or stop.since is None:
        return None
    text = stop.text.rstrip()
    start = len(text) - len(text.lstrip())
    message = "this line is no entry of the list above"
    hint = f"begin it with '- ', or indent it other than the list (line {stop.since[0] + 1})"
    return _syntax(stop.span(stop.line, start, len(text) - 1), message, hint)


def _list_beside_key(stop: _Stop) -> Mistake | None:
    if "block sequence entries are not allowed" not in stop.words:
        return None
    span = stop.span(stop.line, stop.column, stop.column)
    return _syntax(
        span, "a list begins on the line of its key", "begin it on the next line, or use [ ]"
    )


def _after_the_end(stop: _Stop) -> Mistake | None:
    if "<document start>" not in stop.words:
        return None
    text = stop.text.rstrip()
    span = stop.span(stop.line, 0, len(text) - 1)
    message = "text after the end of the document"
    return Mistake(error(span, "yaml/second-document", message, "move it to a file of its own"))


def _directive(stop: _Stop) -> Mistake | None:
    if "directive" not in stop.words and "incompatible" not in stop.words:
        return None
    message = "a line that begins with '%' is a directive"
    return _syntax(stop.span(stop.line, 0, len(stop.text) - 1), message, "remove it, or quote it")


def _indent(stop: _Stop) -> Mistake | None:
    if stop.since is None or "did not find expected" not in stop.words:
        return None
    text = stop.text.rstrip()
    start = len(text) - len(text.lstrip())
    if not _ENTRY.match(text):
        return _no_key(stop, stop.line)
    line, column = stop.since
    message = "this line does not line up with the ones before it"
    hint = f"begin it at column {column + 1}, as line {line + 1}"
    above = _ENTRY.match(stop.source.lines[stop.line - 1]) if stop.line else None
    if above and above.start("key") > start:
        hint = f"begin it at column {above.start('key') + 1}, as '{above['key']}' in line {stop.line}, or {hint[9:]}"
    return _syntax(stop.span(stop.line, start, len(text) - 1), message, hint)


_RECOGNISERS: tuple[Callable[[_Stop], Mistake | None], ...] = (
    _tab,
    _conflict,
    _escape,
    _unclosed_quote,
    _after_quote,
    _missing_space,
    _colon,
    _no_colon,
    _block_header,
    _open_bracket,
    _directive,
    _beginning,
    _no_entry,
    _list_beside_key,
    _after_the_end,
    _indent,
)
