"""Rules to groups: one chain in one group, in order, cut only where the long-term store's limit forces it."""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import promql
from gpuobs.diagnostics import Diagnostic, warning
from gpuobs.ir import RecordingRule, Rule, RuleGroup
from gpuobs.policy import Policy

# Mimir's default `ruler_max_rules_per_rule_group`; the other stores have no limit.
MIMIR_RULES_PER_GROUP = 20


def limit(policy: Policy) -> int | None:
    """Most rules that a group may have in the fleet's long-term store."""
    storage = policy.fleet.storage
    kind = storage.long_term.kind if storage and storage.long_term else "none"
    return MIMIR_RULES_PER_GROUP if kind == "mimir" else None


def grouped(
    policy: Policy, name: str, rules: list[Rule]
) -> tuple[list[RuleGroup], list[Diagnostic]]:
    """The rules as one group, or as several of at most the limit; a cut through a chain is said."""
    size = limit(policy) or max(len(rules), 1)
    interval = str(policy.fleet.evaluation_interval)
    parts = [tuple(rules[start : start + size]) for start in range(0, len(rules), size)]
    groups = [
        RuleGroup(name=name if index == 0 else f"{name}.{index + 1}", interval=interval, rules=part)
        for index, part in enumerate(parts)
    ]
    return groups, list(_cuts(groups, policy.fleet.prometheus_version.number))


def _cuts(groups: list[RuleGroup], version: tuple[int, int]) -> Iterator[Diagnostic]:
    earlier: dict[str, str] = {}
    for group in groups:
        for rule in group.rules:
            for read in reads(rule.expr, version):
                if read in earlier:
                    message = (
                        f"group '{group.name}' reads '{read}' of '{earlier[read]}' one interval late: "
                        f"the long-term store allows {MIMIR_RULES_PER_GROUP} rules a group"
                    )
                    hint = (
                        "record fewer operations or windows of this signal, or split the document"
                    )
                    yield warning(rule.origin.span, "rule/group-cut", message, hint)
        earlier.update(
            {rule.record: group.name for rule in group.rules if isinstance(rule, RecordingRule)}
        )


def reads(expression: str, version: tuple[int, int]) -> tuple[str, ...]:
    """Metric names that an expression selects, in order."""
    return tuple(dict.fromkeys(s.name for s in selected(expression, version) if s.name))


def selected(expression: str, version: tuple[int, int]) -> tuple[promql.Selector, ...]:
    """What an expression selects, in order."""
    parsed = promql.parse(expression, version)
    return () if isinstance(parsed, promql.Refused) else tuple(promql.selectors(parsed))


def feeds(rule: RecordingRule, selector: promql.Selector) -> bool:
    """Whether a selector can find what a rule records: the name is the same, and no label that the rule sets is another."""
    return rule.record == selector.name and all(
        matcher.op != "=" or rule.labels.get(matcher.label, matcher.value) == matcher.value
        for matcher in selector.matchers
    )
