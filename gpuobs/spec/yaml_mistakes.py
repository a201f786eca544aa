"""The YAML parser's words turned into what the author did, and how to mend it."""

from __future__ import annotations

import re
from typing import Any

from gpuobs.diagnostics import Diagnostic, Span, error
from gpuobs.spec.node import Source

_INDICATORS = {"%": "a directive", "@": "nothing that YAML knows", "`": "nothing that YAML knows"}


def explain(source: Source, problem: Exception) -> Diagnostic:
    """A diagnostic for what the parser refused, at the line and column that it stopped at."""
    mark = getattr(problem, "problem_mark", None) or getattr(problem, "context_mark", None)
    line = min(mark.line if mark else 0, max(len(source.lines) - 1, 0))
    column = mark.column if mark else 0
    words = getattr(problem, "problem", None) or str(problem).split("\n")[0]
    context = getattr(problem, "context_mark", None)
    text = source.lines[line]
    for recognise in (_tab, _template, _indicator, _unclosed_quote, _missing_space, _colon, _no_colon, _indent):
        found = recognise(source, line, column, str(words), context)
        if found is not None:
            return found
    span = Span(source.file, line + 1, column + 1, line + 1, max(column + 2, min(len(text), column + 2)))
    return error(span, "yaml/syntax", f"this is no YAML: {words}", "check indentation and quotes")


def _at(source: Source, line: int, start: int, end: int) -> Span:
    return Span(source.file, line + 1, start + 1, line + 1, max(end, start + 1) + 1)


def _tab(source: Source, line: int, column: int, words: str, context: Any) -> Diagnostic | None:
    for number in (line, line - 1):
        if 0 <= number < len(source.lines):
            match = re.match(r"( *)\t", source.lines[number])
            if match:
                span = _at(source, number, match.end() - 1, match.end() - 1)
                return error(span, "yaml/tab", "a tab in the indentation", "use spaces")
    return None


def _template(source: Source, line: int, column: int, words: str, context: Any) -> Diagnostic | None:
    for number in range(line, max(line - 3, -1), -1):
        match = re.search(r"[:\-]\s+(\{\{.*)$", source.lines[number])
        if match:
            span = _at(source, number, match.start(1), len(source.lines[number]) - 1)
            message = "a value that begins with '{{' reads as a mapping"
            return error(span, "yaml/syntax", message, f"quote it: '{match[1].strip()}'")
    return None


def _indicator(source: Source, line: int, column: int, words: str, context: Any) -> Diagnostic | None:
    if "cannot start any token" not in words:
        return None
    char = source.lines[line][column : column + 1]
    message = f"a value cannot begin with '{char}'"
    rest = source.lines[line][column:].strip()
    return error(_at(source, line, column, column), "yaml/syntax", message, f"quote it: '{rest}'")


def _unclosed_quote(
    source: Source, line: int, column: int, words: str, context: Any
) -> Diagnostic | None:
    started = context is not None and source.lines[min(context.line, len(source.lines) - 1)]
    if not started or started[context.column : context.column + 1] not in ("'", '"'):
        return None
    quote = started[context.column]
    if "unexpected end" in words or "unexpected document" in words:
        message = f"this {quote} is not closed"
        span = _at(source, context.line, context.column, context.column)
        return error(span, "yaml/syntax", message, f"close it with {quote}")
    if "escape" in words:
        hint = "in double quotes a backslash begins an escape: use single quotes or a block scalar"
        span = _at(source, line, column - 1, column)
        return error(span, "yaml/syntax", "an escape that YAML does not know", hint)
    return None


def _colon(source: Source, line: int, column: int, words: str, context: Any) -> Diagnostic | None:
    text = source.lines[line]
    if "mapping values are not allowed" in words:
        value = re.match(r"\s*(?:- )?\s*[\w./-]+:\s+(\S.*)$", text)
        if value:
            span = _at(source, line, column, column)
            hint = f"quote the value: '{value[1].strip()}', or write it as a block after '|'"
            return error(span, "yaml/syntax", "': ' inside a value begins another mapping", hint)
    if re.search(r"\"[^\"]*\"\s*\S", text) and ("expected" in words or "did not find" in words):
        value = re.match(r"\s*(?:- )?\s*[\w./-]+:\s+(\".*)$", text)
        if value:
            span = _at(source, line, min(column, len(text) - 1), len(text) - 1)
            hint = "single quotes around the value, or write it as a block after '|'"
            return error(span, "yaml/syntax", "text goes on after the closing quote", hint)
    return None


def _missing_space(
    source: Source, line: int, column: int, words: str, context: Any
) -> Diagnostic | None:
    if "could not find expected ':'" not in words and "mapping values are not" not in words:
        return None
    match = re.match(r"\s*(?:- )?([A-Za-z_]\w*):([^\s/].*)$", source.lines[line - 1]) if line else None
    if match is None:
        return None
    span = _at(source, line - 1, match.start(1), match.end(1))
    hint = f"{match[1]}: {match[2]}"
    return error(span, "yaml/syntax", "a space is missing after the colon", hint)


def _no_colon(
    source: Source, line: int, column: int, words: str, context: Any
) -> Diagnostic | None:
    if "could not find expected ':'" not in words:
        return None
    number = max(line - 1, 0)
    text = source.lines[number].rstrip()
    span = _at(source, number, len(text) - len(text.lstrip()), len(text) - 1)
    return error(span, "yaml/syntax", "this line is no 'key: value'", "add a colon and a value")


def _indent(source: Source, line: int, column: int, words: str, context: Any) -> Diagnostic | None:
    if "did not find expected" not in words and "block mapping" not in words:
        return None
    text = source.lines[line]
    indent = len(text) - len(text.lstrip())
    message = "this line does not line up with the ones before it"
    where = f" at column {context.column + 1} (line {context.line + 1})" if context is not None else ""
    hint = f"the mapping it belongs to begins{where}" if where else "check the indentation"
    end = len(text.rstrip()) - 1
    return error(_at(source, line, min(indent, column), end), "yaml/syntax", message, hint)
