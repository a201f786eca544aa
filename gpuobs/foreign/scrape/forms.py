"""What is wrong with the keys and values of a configuration, as its reader would refuse them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from gpuobs import promql
from gpuobs.diagnostics import Diagnostic, Span, error
from gpuobs.foreign import values
from gpuobs.foreign.scrape.keys import OPERATOR, PROMETHEUS, Key, Version
from gpuobs.foreign.structure import first_key
from gpuobs.nearest import did_you_mean, nearest
from gpuobs.scraping import Reader, camel
from gpuobs.spec.node import Node
from gpuobs.spec.spelled import spelled

ACTIONS = (
    "replace keep drop hashmod labelmap labeldrop labelkeep lowercase uppercase keepequal dropequal"
).split()
# The operator takes two spellings of each, Prometheus every mixture of cases.
_CAPITALS = (
    "Replace Keep Drop HashMod LabelMap LabelDrop LabelKeep Lowercase Uppercase KeepEqual DropEqual"
).split()
OPERATOR_ACTIONS = frozenset({*ACTIONS, *_CAPITALS})
ROLES = ("node", "pod", "service", "endpoints", "endpointslice", "ingress")
_PROTOCOLS = (
    "PrometheusProto OpenMetricsText0.0.1 OpenMetricsText1.0.0 PrometheusText0.0.4 PrometheusText1.0.0"
).split()
_TRUE = ("y", "yes", "on", "true")
_FALSE = ("n", "no", "off", "false")
TRUTHS = {
    spelt: truth
    for words, truth in ((_TRUE, True), (_FALSE, False))
    for word in words
    for spelt in (word, word.capitalize(), word.upper())
}
_WHOLE = re.compile(
    r"[-+]?(?:0x[0-9a-fA-F]{1,16}|[0-9]{1,19}(?:\.0*)?|[0-9](?:\.0)?[eE]\+?[0-9]{1,2})\Z"
)
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z")
_SIZE = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:[KMGTPE]i?)?B)+\Z|0\Z")


@dataclass(frozen=True, slots=True)
class Forms:
    """The keys of one reader, at the oldest version that must load the file."""

    reader: Reader
    version: Version

    @property
    def tables(self) -> Mapping[str, Mapping[str, Key]]:
        return PROMETHEUS if self.reader == "prometheus" else OPERATOR

    def problems(self, node: Node, form: str) -> Iterator[Diagnostic]:
        """All below a mapping that its reader would refuse for its form."""
        if not isinstance(node.value, dict):
            if node.value is not None:
                yield wrong(node, "a mapping")
            return
        table = self.tables[form]
        for key, value in node.value.items():
            found = table.get(key)
            if found is None:
                yield self._unknown(node, key, table)
            elif found.since > self.version and self.reader == "prometheus":
                yield self._too_new(node, key, found.since)
            elif found.until is not None and found.until <= self.version:
                yield self._gone(node, key, found.until)
            else:
                yield from self._value(value, found)

    def _value(self, node: Node, key: Key) -> Iterator[Diagnostic]:
        if not key.many:
            yield from self._one(node, key.form)
        elif isinstance(node.value, list):
            for item in node.value:
                if item.value is None:
                    yield wrong(item, "an entry", "remove it")
                else:
                    yield from self._one(item, key.form)
        elif node.value is not None:
            yield wrong(node, "a list", "begin each entry with '- '")

    def _one(self, node: Node, form: str) -> Iterator[Diagnostic]:
        if node.value is None or form == "any":
            return
        if form in self.tables:
            yield from self.problems(node, form)
        elif form == "mapping":
            if not isinstance(node.value, dict):
                yield wrong(node, "a mapping")
        elif form == "labels":
            yield from self._labels(node)
        elif isinstance(node.value, dict | list):
            yield wrong(node, "one value")
        else:
            yield from self._scalar(node, form)

    def _labels(self, node: Node) -> Iterator[Diagnostic]:
        if not isinstance(node.value, dict):
            yield wrong(node, "a mapping of labels")
            return
        for name, value in node.value.items():
            if not is_label(name, self.version):
                message = f"'{name[:60]}' is no name of a label"
                yield error(
                    node.key_span(name), "yaml/bad-value", message, "letters, digits and '_'"
                )
            if isinstance(value.value, dict | list):
                yield wrong(value, "a text")
            elif value.value is not None:
                yield from values.text(value, self.reader)

    def _scalar(self, node: Node, form: str) -> Iterator[Diagnostic]:
        if form in ("truth", "whole", "number"):
            yield from _plain(node, form)
            return
        said = _SAID.get(form)
        problem = said(self, node.value) if said is not None else None
        if problem is not None:
            yield error(values.short(node), "yaml/bad-value", *problem)
        else:
            yield from values.text(node, self.reader)

    def action(self, written: str) -> tuple[str, str] | None:
        """Why this is no action, and what to write."""
        lower = written.lower()
        known = lower in ACTIONS
        if known and (self.reader == "prometheus" or written in OPERATOR_ACTIONS):
            return None
        if known:
            return f"the operator does not spell an action '{written}'", f"write {lower}"
        hint = (
            did_you_mean(lower, ACTIONS)
            if nearest(lower, ACTIONS)
            else "one of " + ", ".join(ACTIONS)
        )
        return f"there is no relabelling action '{written}'", hint

    def regex(self, written: str) -> tuple[str, str] | None:
        problem = promql.regex_problem(written, self.version)
        return (
            (f"Prometheus cannot compile this regular expression: {problem}", "")
            if problem
            else None
        )

    def _unknown(self, node: Node, key: str, table: Mapping[str, Key]) -> Diagnostic:
        other = _other_spelling(key, table)
        hint = f"write {other}" if other else ""
        if not hint:
            hint = did_you_mean(key, table) if nearest(key, table) else ""
        return error(node.key_span(key), "yaml/unknown-key", f"no key '{key}' here", hint)

    def _too_new(self, node: Node, key: str, since: Version) -> Diagnostic:
        first, oldest = (".".join(map(str, each)) for each in (since, self.version))
        message = f"Prometheus has '{key}' since {first}, and this fleet's is {oldest}"
        hint = f'remove it, or prometheusVersion: "{first}" in the Fleet document'
        return error(node.key_span(key), "target/unsupported-field", message, hint)

    def _gone(self, node: Node, key: str, until: Version) -> Diagnostic:
        message = f"Prometheus has no '{key}' since {'.'.join(map(str, until))}"
        return error(node.key_span(key), "target/unsupported-field", message, "remove it")


def _other_spelling(key: str, table: Mapping[str, Key]) -> str | None:
    """The key in the other of Prometheus' and the operator's spellings, if that is one."""
    snake = re.sub(r"(?<=[a-z0-9])([A-Z])", lambda m: "_" + m[1].lower(), key)
    changed = {"relabelings": "relabel_configs", "metric_relabelings": "metric_relabel_configs"}
    renamed = {new: old for old, new in changed.items()}
    spellings = (snake, camel(key), changed.get(snake, ""), camel(renamed.get(key, "")))
    return next((each for each in spellings if each in table and each != key), None)


def _plain(node: Node, form: str) -> Iterator[Diagnostic]:
    """A number or a truth value, which is written without quotes."""
    plain = node.style == "plain"
    if form == "truth" and not (plain and node.value in TRUTHS):
        yield wrong(node, "true or false")
    elif form == "number" and not (plain and _NUMBER.match(node.value)):
        yield wrong(node, "a number", "without quotes")
    elif form == "whole":
        if not (plain and _WHOLE.match(node.value)):
            yield wrong(node, "a whole number", "without quotes")
        elif node.value.startswith("-"):
            message = "a limit below 0 is refused"
            yield error(node.span, "yaml/bad-value", message, "0 is no limit")


def whole(node: Node | None) -> int | None:
    """The value of a whole number that is one."""
    if node is None or not isinstance(node.value, str) or not _WHOLE.match(node.value):
        return None
    text = node.value
    return (
        int(text, 16) if "x" in text else int(float(text)) if set("eE.") & set(text) else int(text)
    )


def _duration(_: Forms, written: str) -> tuple[str, str] | None:
    if values.is_duration(written):
        return None
    guess = f"{written}s" if written.isdigit() else spelled(written)
    message = f"'{written[:60]}' is not a Prometheus duration"
    return message, f"write {guess}" if guess else "such as 90s, 5m or 1h30m"


def _one_of(
    what: str, known: list[str] | tuple[str, ...]
) -> Callable[[Forms, str], tuple[str, str] | None]:
    def said(_: Forms, written: str) -> tuple[str, str] | None:
        if written in known:
            return None
        hint = (
            did_you_mean(written, known)
            if nearest(written, known)
            else "one of " + ", ".join(known)
        )
        return f"there is no {what} '{written[:60]}'", hint

    return said


def _size(_: Forms, written: str) -> tuple[str, str] | None:
    return None if _SIZE.match(written) else (f"'{written[:60]}' is no size", "such as 10MB")


_SAID: Mapping[str, Callable[[Forms, str], tuple[str, str] | None]] = {
    "duration": _duration,
    "size": _size,
    "action": Forms.action,
    "regex": Forms.regex,
    "role": _one_of("role", ROLES),
    "protocol": _one_of("scrape protocol", _PROTOCOLS),
    "naming": _one_of("naming scheme", ("legacy", "utf8")),
    "escaping": _one_of("escaping scheme", ("allow-utf-8", "underscores", "dots", "values")),
}


def is_label(name: str, version: Version) -> bool:
    """Whether Prometheus takes a label of this name in a configuration: since 3.0 every text is one."""
    if version >= values.UTF8_NAMES:
        return bool(name)
    return re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", name) is not None


def wrong(node: Node, wanted: str, hint: str = "") -> Diagnostic:
    span = first_key(node) if isinstance(node.value, dict) else values.short(node)
    return error(span, "yaml/wrong-type", f"{wanted} is wanted here", hint)


def missing(node: Node, key: str, hint: str, span: Span | None = None) -> Diagnostic:
    message = f"the key '{key}' is missing"
    return error(span or first_key(node), "yaml/missing-key", message, f"add '{hint}'")
