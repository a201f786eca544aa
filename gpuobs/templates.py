"""Prometheus' alert templates, read far enough to say that one cannot work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Functions and keywords of Go's text/template and of Prometheus, from the Prometheus documentation (template
# reference) and Go's text/template package.
WORDS = frozenset(
    "if else end range with define template block and or not eq ne lt le gt ge len index slice call print printf "
    "println html js urlquery nil true false "
    "query first label value sortByLabel strvalue humanize humanize1024 humanizeDuration humanizePercentage "
    "humanizeTimestamp toTime title toUpper toLower match reReplaceAll graphLink tableLink stripPort stripDomain "
    "parseDuration externalURL pathPrefix args tmpl safeHtml now toDuration urlQueryEscape".split()
)
VARIABLES = frozenset({"labels", "value", "externalLabels", "externalURL"})
_BLOCKS = frozenset({"if", "range", "with", "define", "block"})
_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\]|\\.)')"""
    r"""|(?P<variable>\$[A-Za-z0-9_]*)(?P<fields>(?:\.[A-Za-z0-9_]+)*)"""
    r"""|(?P<word>[A-Za-z_][A-Za-z0-9_]*)"""
    r"""|(?P<field>\.[A-Za-z0-9_.]*)"""
    r"""|(?P<number>[0-9][0-9A-Za-z_.]*)"""
    r"""|(?P<other>:=|[()|,=]|\s+|-)"""
    r"""|(?P<wrong>.)""",
    re.VERBOSE | re.DOTALL,
)
_CLOSING = re.compile(r'"(?:[^"\\\n]|\\.)*"|`[^`]*`|\}\}|\{\{')


@dataclass(frozen=True, slots=True)
class Mistake:
    """Why a template cannot be parsed, with the offsets of the broken part."""

    start: int
    end: int
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class LabelUse:
    """A `$labels.name`, with the offsets of the name."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Template:
    mistakes: tuple[Mistake, ...]
    labels: tuple[LabelUse, ...]
    uses_value: bool


def read(text: str) -> Template:
    """What a template uses, and what is wrong with it."""
    mistakes: list[Mistake] = []
    labels: list[LabelUse] = []
    own: set[str] = set()
    blocks: list[str] = []
    uses_value = False
    for start, end in _actions(text, mistakes):
        words = []
        for token in _TOKEN.finditer(text, start, end):
            kind = token.lastgroup if token.lastgroup != "fields" else "variable"
            if kind == "variable":
                name = token["variable"][1:]
                uses_value |= name == "value"
                if text[token.end() : end].lstrip().startswith((":=", ",")):
                    own.add(name)
                if name and name not in VARIABLES | own:
                    mistakes.append(_unknown_variable(token.start("variable"), name))
                if name == "labels" and token["fields"]:
                    field = token["fields"][1:].partition(".")[0]
                    place = token.start("fields") + 1
                    labels.append(LabelUse(field, place, place + len(field)))
            elif kind == "word":
                words.append(token["word"])
                in_loop = token["word"] in ("break", "continue") and "range" in blocks
                if token["word"] not in WORDS and not in_loop:
                    mistakes.append(_unknown_function(token.start(), token["word"]))
            elif kind == "wrong":
                message = f"'{token.group()}' has no place in a template action"
                mistakes.append(Mistake(token.start(), token.end(), message, ""))
        if words and words[0] in _BLOCKS:
            blocks.append(words[0])
        elif words and words[0] == "end":
            if not blocks:
                mistakes.append(Mistake(start, end, "'end' ends no block", "remove it"))
            del blocks[-1:]
    if blocks:
        message = "a block of this template has no '{{ end }}'"
        mistakes.append(Mistake(0, len(text), message, "add {{ end }}"))
    return Template(tuple(mistakes), tuple(labels), uses_value)


def _actions(text: str, mistakes: list[Mistake]) -> Iterator[tuple[int, int]]:
    """Offsets of the inside of every `{{ }}`."""
    position, stray, unclosed = 0, -1, False
    while (start := text.find("{{", position)) >= 0:
        stray = text.find("}}", position, start) if stray < 0 else stray
        end = _closing(text, start + 2)
        if end < 0:
            message = "'{{' is not closed"
            mistakes.append(Mistake(start, start + 2, message, "close it with '}}'"))
            position, unclosed = start + 2, True
            continue
        inside_start = start + 3 if text[start + 2 : start + 4] == "- " else start + 2
        inside_end = end - 1 if text[end - 2 : end] == " -" else end
        if text[inside_start : inside_start + 2] != "/*":
            yield inside_start, max(inside_start, inside_end)
        position = end + 2
    closing = stray if stray >= 0 else text.find("}}", position)
    if closing >= 0 and not unclosed:
        message = "'}}' closes nothing"
        mistakes.append(Mistake(closing, closing + 2, message, "open it with '{{'"))


def _closing(text: str, position: int) -> int:
    """Where the action that begins here is closed, -1 where another begins first: strings may hold anything."""
    for match in _CLOSING.finditer(text, position):
        if match.group() in ("}}", "{{"):
            return match.start() if match.group() == "}}" else -1
    return -1


def _unknown_variable(start: int, name: str) -> Mistake:
    from gpuobs.nearest import nearest

    match = nearest(name, VARIABLES)
    hint = f"did you mean '${match}'?" if match else "known: $labels, $value, $externalLabels"
    return Mistake(start, start + len(name) + 1, f"no template variable '${name}'", hint)


def _unknown_function(start: int, name: str) -> Mistake:
    from gpuobs.nearest import did_you_mean

    message = f"no template function '{name}'"
    return Mistake(start, start + len(name), message, did_you_mean(name, WORDS))
