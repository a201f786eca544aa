"""Rules of others as the program's own: what checks see is the same, wherever a rule was written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuobs.diagnostics import Diagnostic
from gpuobs.foreign.fields import READERS
from gpuobs.foreign.kinds import RuleSet
from gpuobs.foreign.structure import given
from gpuobs.foreign.values import MAX_TEXT, is_duration
from gpuobs.ir import AlertingRule, Origin, RecordingRule, Rule, RuleFile, RuleGroup
from gpuobs.spec import expression
from gpuobs.spec.node import Node


def rule_file(rules: RuleSet, version: tuple[int, int]) -> tuple[RuleFile, list[Diagnostic]]:
    """The rules whose expressions can be read, and what is wrong with the other expressions."""
    problems: list[Diagnostic] = []
    groups = rules.groups.value if rules.groups is not None else None
    root = rules.document.root
    file = root.source.file
    return (
        RuleFile(
            name=f"{file}#{rules.name}" if rules.name else file,
            groups=tuple(
                _group(group, rules, version, problems)
                for group in (groups if isinstance(groups, list) else ())
                if isinstance(group.value, dict)
            ),
            origin=Origin(root.span, READERS[rules.format], rules.name),
        ),
        problems,
    )


def _group(
    group: Node, rules: RuleSet, version: tuple[int, int], problems: list[Diagnostic]
) -> RuleGroup:
    listed = group.get("rules")
    written = listed.value if listed is not None and isinstance(listed.value, list) else ()
    shared = dict(_texts(group, "labels"))
    made = (_rule(rule, rules, version, problems, shared) for rule in written)
    return RuleGroup(
        name=_text(group, "name"),
        interval=_duration(group, "interval"),
        rules=tuple(rule for rule in made if rule is not None),
        written=group,
    )


def _rule(
    rule: Node,
    rules: RuleSet,
    version: tuple[int, int],
    problems: list[Diagnostic],
    shared: Mapping[str, str],
) -> Rule | None:
    """A rule, with the labels that its group gives to all. None where there is no name or no expression that can be read; the reasons are said elsewhere or here."""
    expr, alert, record = (given(rule, key) for key in ("expr", "alert", "record"))
    name = alert or record
    if expr is None or _too_long(rule):
        return None
    parsed = expression.parse(expr, version)
    if isinstance(parsed, Diagnostic):
        problems.append(parsed)
        return None
    if name is None:
        return None
    origin = Origin(name.span, READERS[rules.format], name.value)
    labels = {**shared, **dict(_texts(rule, "labels"))}
    if alert is None:
        return RecordingRule(
            record=name.value, expr=expr.value, labels=labels, origin=origin, written=rule
        )
    return AlertingRule(
        alert=name.value,
        expr=expr.value,
        labels=labels,
        annotations=dict(_texts(rule, "annotations")),
        for_=_duration(rule, "for"),
        keep_firing_for=_duration(rule, "keep_firing_for"),
        origin=origin,
        written=rule,
    )


def _too_long(rule: Node) -> bool:
    """Whether a text of the rule is longer than what is read, which is said elsewhere."""
    parts = [rule, *(rule.value[key] for key in ("labels", "annotations") if key in rule.value)]
    return any(
        isinstance(node.value, str) and len(node.value) > MAX_TEXT
        for part in parts
        for node in (part.value.values() if isinstance(part.value, dict) else ())
    )


def _text(node: Node, key: str) -> str:
    found = given(node, key)
    return found.value if found is not None else ""


def _duration(node: Node, key: str) -> str:
    written = _text(node, key)
    return written if is_duration(written) else ""


def _texts(rule: Node, key: str) -> Iterator[tuple[str, str]]:
    node = rule.get(key)
    for name, text in (
        node.value.items() if node is not None and isinstance(node.value, dict) else ()
    ):
        if text.value is None or isinstance(text.value, str):
            yield name, text.value or ""
