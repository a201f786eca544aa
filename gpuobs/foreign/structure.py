"""What is wrong with the structure of rules: keys, types, names and durations, as the reader of the file would refuse them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuobs.diagnostics import Diagnostic, Related, Span, error
from gpuobs.foreign import values
from gpuobs.foreign.fields import FILE, GROUP, OBJECT, ONLY_ALERTS, READERS, RULE, Field
from gpuobs.foreign.kinds import RuleSet
from gpuobs.nearest import did_you_mean, nearest
from gpuobs.spec.node import Node

_PROMETHEUS = ("prometheus", "operator")  # whose versions of Prometheus the fleet knows


@dataclass(frozen=True, slots=True)
class _Structure:
    """The structure of one set of rules, for the fleet's oldest Prometheus."""

    rules: RuleSet
    version: tuple[int, int]

    def problems(self) -> Iterator[Diagnostic]:
        yield from self._top()
        groups = self.rules.groups
        if groups is None:
            return
        yield from values.value(groups, "list", self.rules.format)
        first: dict[str, Span] = {}
        for group in groups.value if isinstance(groups.value, list) else ():
            if not isinstance(group.value, dict):
                yield _no_mapping(group, "group")
                continue
            yield from self._group(group)
            yield from self._duplicate(group, first)

    def _top(self) -> Iterator[Diagnostic]:
        holder, root = self.rules.holder, self.rules.document.root
        if self.rules.format == "operator":
            for key in root.value:
                if key not in OBJECT:
                    hint = "it belongs under 'spec'" if key == "groups" else ""
                    yield _unknown(root, key, OBJECT, hint)
            if "apiVersion" not in root.value:
                yield _missing(root, "apiVersion", "apiVersion: monitoring.coreos.com/v1")
            if holder is not None:
                yield from values.value(holder, "labels", "operator")
            elif "groups" not in root.value:
                yield _missing(root, "spec", "spec: {groups: [...]}")
        if holder is not None and isinstance(holder.value, dict):
            known = FILE[self.rules.format]
            yield from (
                _unknown(holder, key, known, _common(key))
                for key in holder.value
                if key not in known
            )

    def _duplicate(self, group: Node, first: dict[str, Span]) -> Iterator[Diagnostic]:
        name = group.get("name")
        if name is None or not isinstance(name.value, str):
            return
        if name.value in first:
            message = f"a second group '{name.value}', and {self._refusal()}"
            hint = "give one of them another name, or make one group of both"
            related = (Related(first[name.value], "first here"),)
            yield error(name.span, "rule/duplicate-group", message, hint, related)
        first.setdefault(name.value, name.span)

    def _refusal(self) -> str:
        if self.rules.format == "operator":
            return "Kubernetes refuses the object"
        return "the file is not loaded"

    def _group(self, group: Node) -> Iterator[Diagnostic]:
        yield from self._fields(group, GROUP, "group")
        name = group.get("name")
        if name is None or name.value is None:
            yield _missing(group, "name", "name: <the group's name>")
        elif name.value == "":
            yield error(name.span, "yaml/bad-value", "a group's name is empty", "name it")
        rules = group.get("rules")
        for rule in rules.value if rules is not None and isinstance(rules.value, list) else ():
            if isinstance(rule.value, dict):
                yield from self._rule(rule)
            else:
                yield _no_mapping(rule, "rule")

    def _rule(self, rule: Node) -> Iterator[Diagnostic]:
        yield from self._fields(rule, RULE, "rule")
        alert, record = given(rule, "alert"), given(rule, "record")
        if alert is None and record is None:
            message = "this rule has neither 'alert' nor 'record'"
            hint = "add 'alert: <name>', or 'record: level:metric:operation'"
            yield error(first_key(rule), "yaml/missing-key", message, hint)
        elif alert is not None and record is not None:
            second = next(key for key in reversed(rule.value) if key in ("alert", "record"))
            message = "this rule has both 'alert' and 'record'"
            yield error(rule.key_span(second), "yaml/bad-value", message, "make two rules of it")
        elif record is not None:
            yield from values.name(record, "metric name", self.version)
            for key in ONLY_ALERTS:
                if key in rule.value:
                    message = f"no key '{key}' in a recording rule"
                    yield error(rule.key_span(key), "yaml/unknown-key", message, "remove it")
        if given(rule, "expr") is None and not _typed(rule, "expr"):
            yield _missing(rule, "expr", "expr: <PromQL>")

    def _fields(self, node: Node, fields: Mapping[str, Field], what: str) -> Iterator[Diagnostic]:
        for key, value in node.value.items():
            field = fields.get(key)
            if field is None:
                yield _unknown(node, key, tuple(fields), _elsewhere(key, what))
            elif self.rules.format not in field.readers:
                yield self._unsupported(node, key, field)
            elif self.rules.format in _PROMETHEUS and self.version < field.since:
                yield self._too_new(node, key, field, what)
            else:
                yield from values.value(value, field.type, self.rules.format)
                if field.type in ("labels", "annotations"):
                    yield from self._names(value, field.type.removesuffix("s"))
        strategy = node.get("partial_response_strategy") if what == "group" else None
        if strategy is not None and self.rules.format in GROUP["partial_response_strategy"].readers:
            yield from values.strategy(strategy, self.rules.format)

    def _unsupported(self, node: Node, key: str, field: Field) -> Diagnostic:
        reader = READERS[self.rules.format]
        where = " or ".join(READERS[one] for one in READERS if one in field.readers)
        message = f"no key '{key}' in {reader}, which is not loaded with it"
        return error(
            node.key_span(key), "target/unsupported-field", message, f"remove it; {where} has it"
        )

    def _too_new(self, node: Node, key: str, field: Field, what: str) -> Diagnostic:
        since, oldest = (".".join(map(str, v)) for v in (field.since, self.version))
        message = f"a {what} has '{key}' since Prometheus {since}, and this fleet's is {oldest}"
        hint = f'remove it, or prometheusVersion: "{since}" in the Fleet document'
        return error(node.key_span(key), "target/unsupported-field", message, hint)

    def _names(self, node: Node, what: str) -> Iterator[Diagnostic]:
        for key, value in node.value.items() if isinstance(node.value, dict) else ():
            yield from values.label_name(node.key_span(key), key, what, self.version)
            if value.value is None:
                yield from values.text(value, self.rules.format)
            yield from values.value(value, "text", self.rules.format)


def problems(rules: RuleSet, version: tuple[int, int]) -> Iterator[Diagnostic]:
    """All that the reader of these rules would refuse, or silently leave out."""
    return _Structure(rules, version).problems()


def given(rule: Node, key: str) -> Node | None:
    """The value of a key that is text and not empty."""
    node = rule.get(key)
    return node if node is not None and isinstance(node.value, str) and node.value else None


def first_key(node: Node) -> Span:
    """Where a mapping is said to lack something."""
    key = next(iter(node.value), None)
    return values.short(node) if key is None else node.key_span(key)


def _typed(rule: Node, key: str) -> bool:
    """Whether the value is a list or mapping, which is reported as such."""
    node = rule.get(key)
    return node is not None and isinstance(node.value, list | dict)


def _missing(node: Node, key: str, hint: str) -> Diagnostic:
    message = f"the key '{key}' is missing"
    return error(first_key(node), "yaml/missing-key", message, f"add '{hint}'")


def _no_mapping(node: Node, what: str) -> Diagnostic:
    message = f"a {what} is a mapping of keys to values"
    hint = "such as '- name: gpu.rules'" if what == "group" else "such as '- alert: GpuHot'"
    return error(values.short(node), "yaml/wrong-type", message, hint)


def _unknown(node: Node, key: str, known: tuple[str, ...], hint: str) -> Diagnostic:
    if not hint:
        hint = did_you_mean(key, known) if nearest(key, known) else "keys: " + ", ".join(known)
    return error(node.key_span(key), "yaml/unknown-key", f"no key '{key}' here", hint)


def _common(key: str) -> str:
    """For a key that is there to hold anchors."""
    if not key.startswith((".", "x-", "_")):
        return ""
    return "only 'groups' may stand here: put the anchor where its value is used first"


def _elsewhere(key: str, what: str) -> str:
    if what == "rule":
        if key in ("summary", "description", "message", "runbook_url", "dashboard_url"):
            return "it belongs under 'annotations'"
        if key == "severity":
            return "it belongs under 'labels'"
    others = GROUP if what == "rule" else RULE
    return f"it belongs to a {'group' if what == 'rule' else 'rule'}" if key in others else ""
