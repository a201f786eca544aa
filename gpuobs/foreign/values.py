"""The values of a rule file: text that is none for Kubernetes, durations, numbers, names of labels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gpuobs.diagnostics import Diagnostic, Span, error
from gpuobs.foreign.fields import READERS, Type
from gpuobs.foreign.kinds import Format
from gpuobs.spec.node import Node
from gpuobs.spec.spelled import spelled

MAX_TEXT = 65_536
_TRUE = "y yes on true".split()
_FALSE = "n no off false".split()
_TRUTH = {
    form: truth
    for words, truth in ((_TRUE, "true"), (_FALSE, "false"))
    for word in words
    for form in (word, word.capitalize(), word.upper())
}
# What go-yaml v2, through which Kubernetes reads manifests, takes for a number. Dates it leaves as text.
_NUMBER = re.compile(
    r"[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?"
    r"|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF))\Z|\.(?:nan|NaN|NAN)\Z"
)
_TEXT_TAG = re.compile(r"!(?:!str)?\s+\Z")
_WHOLE = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})\Z")
_DURATION = re.compile(
    r"(?=.)(?:[0-9]{1,12}y)?(?:[0-9]{1,12}w)?(?:[0-9]{1,12}d)?(?:[0-9]{1,12}h)?(?:[0-9]{1,12}m)?"
    r"(?:[0-9]{1,12}s)?(?:[0-9]{1,12}ms)?\Z"
)
_LONGEST = 9_223_372_036  # seconds; Prometheus counts nanoseconds in 64 bits
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 31536000}
_SHAPES: dict[Type, type[Any]] = {"labels": dict, "annotations": dict, "list": list}
_WORDS: dict[type[Any], str] = {dict: "a mapping", list: "a list", str: "text"}
_HINTS: dict[type[Any], str] = {
    dict: "write 'key: value' lines, indented, below the key",
    list: "begin each entry with '- '",
    str: "write one text, without '- ' or keys",
}
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*\Z")
_METRIC = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*\Z")
UTF8_NAMES = (3, 0)


def value(node: Node, type_: Type, format_: Format) -> Iterator[Diagnostic]:
    """What is wrong with a value; nothing is wrong with none at all, which all readers take for a key left out."""
    if node.value is None or type_ == "any":
        return
    wanted = _SHAPES.get(type_, str)
    if not isinstance(node.value, wanted):
        message = f"{_WORDS[type(node.value)]} stands where {_WORDS[wanted]} is wanted"
        yield error(short(node), "yaml/wrong-type", message, _HINTS[wanted])
    elif wanted is str and len(node.value) > MAX_TEXT:
        message = f"this text has more than the {MAX_TEXT:,} characters that are read"
        yield error(short(node), "yaml/too-large", message, "say it in fewer words")
    elif type_ == "duration":
        yield from _duration(node, format_)
    elif type_ == "number":
        yield from _number(node)
    elif wanted is str:
        yield from text(node, format_, numbers=type_ == "expression")


def text(node: Node, format_: Format, *, numbers: bool = False) -> Iterator[Diagnostic]:
    """Text without quotes that Kubernetes takes for something else; Prometheus takes it as it was written."""
    if format_ != "operator" or node.style != "plain" or _tagged(node):
        return
    if node.value is None:
        message = "nothing stands where text is wanted, and Kubernetes refuses the object"
        yield error(node.span, "yaml/wrong-type", message, 'write "", or remove the key')
        return
    truth = _TRUTH.get(node.value)
    number = not numbers and _NUMBER.match(node.value)
    if truth or number:
        taken = truth or "a number"
        message = f"'{node.value[:40]}' without quotes is {taken} for Kubernetes, and no text"
        yield error(node.span, "yaml/wrong-type", message, f'quote it: "{node.value}"')


def _tagged(node: Node) -> bool:
    """Whether `!!str` says that this is text."""
    before = node.source.lines[node.line - 1][: node.column - 1]
    return _TEXT_TAG.search(before) is not None


def is_duration(written: str) -> bool:
    """Whether Prometheus takes it."""
    if written == "0":
        return True
    if not _DURATION.match(written):
        return False
    parts = re.findall(r"([0-9]+)(ms|[smhdwy])", written)
    return sum(int(count) * _SECONDS[unit] for count, unit in parts) <= _LONGEST


def _duration(node: Node, format_: Format) -> Iterator[Diagnostic]:
    written = node.value
    if is_duration(written):
        yield from text(node, format_)
    elif written or format_ != "operator":
        message = f"'{_clipped(written)}' is not a Prometheus duration"
        yield error(short(node), "rule/duration-invalid", message, _meant(written))


def _meant(written: str) -> str:
    if re.fullmatch(r"[0-9]{1,9}", written):
        return f"write it with its unit: {int(written)}s or {int(written)}m"
    guess = spelled(written)
    return f"write {guess}" if guess else "such as 90s, 5m or 1h30m"


def _number(node: Node) -> Iterator[Diagnostic]:
    if node.style != "plain" or not _WHOLE.match(node.value):
        message = f"'{_clipped(node.value)}' stands where a whole number is wanted"
        yield error(short(node), "yaml/wrong-type", message, "such as 10, without quotes")


def name(node: Node, kind: str, version: tuple[int, int]) -> Iterator[Diagnostic]:
    """A recorded name that is none. Since 3.0 every text is one."""
    if version < UTF8_NAMES and not _METRIC.match(node.value):
        message = f"'{_clipped(node.value)}' is no {kind}"
        hint = "letters, digits, '_' and ':', such as cluster:gpus:count"
        yield error(short(node), "yaml/bad-value", message, hint)


def label_name(
    span: Span, written: str, what: str, version: tuple[int, int]
) -> Iterator[Diagnostic]:
    """The key of a label or an annotation that is none."""
    if written == "__name__" and what == "label":
        hint = "the name of a series is its 'record'"
        yield error(span, "yaml/bad-value", "'__name__' cannot be set as a label", hint)
    elif not written or (version < UTF8_NAMES and not _LABEL.match(written)):
        message = f"'{_clipped(written)}' is no name of a{'n' if what[0] == 'a' else ''} {what}"
        hint = "letters, digits and '_', such as gpu_uuid"
        yield error(span, "yaml/bad-value", message, hint)


def strategy(node: Node, format_: Format) -> Iterator[Diagnostic]:
    """`partial_response_strategy`: `warn` or `abort`, which Thanos reads in capitals too."""
    if isinstance(node.value, str) and node.value.lower() not in ("warn", "abort", ""):
        message = f"'{_clipped(node.value)}' is no partial response strategy in {READERS[format_]}"
        yield error(short(node), "yaml/bad-value", message, "write warn or abort")


def _clipped(written: str) -> str:
    line = written.strip().split("\n")[0]
    return line if len(line) <= 60 else line[:57] + "..."


def short(node: Node) -> Span:
    """A value's place, or its first character where it goes over several lines."""
    if node.line == node.end_line:
        return node.span
    return Span(node.source.file, node.line, node.column, node.line, node.column + 1)
