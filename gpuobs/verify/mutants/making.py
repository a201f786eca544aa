"""The mutants of a rule: every operator at every place of its expression and at its durations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from gpuobs import promql
from gpuobs.diagnostics import Span
from gpuobs.ir import AlertingRule, Program, RecordingRule, Rule, RuleGroup
from gpuobs.promql import Parsed
from gpuobs.promql.nodes import Node
from gpuobs.spec.document import place
from gpuobs.spec.scalars import Duration, duration
from gpuobs.verify.mutants import choosing, combining, comparing
from gpuobs.verify.mutants.comparing import IsWhole
from gpuobs.verify.mutants.edits import Edit

OPERATORS: tuple[Callable[[Parsed, IsWhole], Iterator[Edit]], ...] = (
    comparing.comparators,
    comparing.thresholds,
    comparing.bools,
    comparing.arithmetic,
    combining.operators,
    combining.branches,
    combining.aggregations,
    combining.labels,
    choosing.matchers,
    choosing.windows,
    choosing.offsets,
)

# The key of an alert's `when` that an operator changes.
_KEYS = {
    "matcher": ("match", "xidClass"),
    "window": ("window",),
    "aggregation": ("reduce",),
}


@dataclass(frozen=True, slots=True, eq=False)
class Mutant:
    """A rule with one change. `place` is where the author wrote what is changed; `edit` is None for a duration."""

    rule: Rule
    changed: Rule
    operator: str
    said: str
    place: Span
    edit: Edit | None = None
    tree: Node | None = None

    @property
    def name(self) -> str:
        return name(self.rule)


def name(rule: Rule) -> str:
    return rule.record if isinstance(rule, RecordingRule) else rule.alert


def mutants(rule: Rule, group: RuleGroup, program: Program, is_whole: IsWhole) -> Iterator[Mutant]:
    """Every mutant of a rule that Prometheus loads, each once."""
    seen = {rule.expr}
    parsed = promql.parse(rule.expr, program.version)
    if isinstance(parsed, Parsed):
        for operator in OPERATORS:
            for edit in operator(parsed, is_whole):
                text = edit.applied(rule.expr)
                if text not in seen and _loads(text, parsed.type, program.version):
                    seen.add(text)
                    changed = replace(rule, expr=text)
                    at = _place(rule, edit)
                    yield Mutant(rule, changed, edit.operator, edit.said, at, edit, parsed.tree)
    if isinstance(rule, AlertingRule):
        yield from _durations(rule, group, program)


def _loads(text: str, type_: str, version: tuple[int, int]) -> bool:
    parsed = promql.parse(text, version)
    return isinstance(parsed, Parsed) and parsed.type == type_


def _durations(rule: AlertingRule, group: RuleGroup, program: Program) -> Iterator[Mutant]:
    step = _step(group, program)
    seconds = Duration(rule.for_).seconds if rule.for_ else 0.0
    changes = {f"'for: {rule.for_}' becomes '{duration(2 * seconds)}'": 2 * seconds}
    if seconds > step:
        shorter = seconds - step
        changes[f"'for: {rule.for_}' becomes '{duration(shorter)}'"] = shorter
    changes[f"'for: {rule.for_}' is removed"] = 0.0
    for said, value in changes.items() if seconds else ():
        changed = replace(rule, for_=str(duration(value)) if value else "")
        yield Mutant(rule, changed, "for", said, rule.place("for"))
    if rule.keep_firing_for:
        key = "keepFiringFor" if rule.part("keepFiringFor") else "keep_firing_for"
        said = f"'{key}: {rule.keep_firing_for}' is removed"
        changed = replace(rule, keep_firing_for="")
        yield Mutant(rule, changed, "keep_firing_for", said, rule.place(key))


def _step(group: RuleGroup, program: Program) -> float:
    """Seconds between two evaluations."""
    if group.interval:
        return Duration(group.interval).seconds
    assert program.policy is not None
    return program.policy.fleet.evaluation_interval.seconds


def _place(rule: Rule, edit: Edit) -> Span:
    """In the expression as it was written; else at the part of a condition or the item that it was made from."""
    node = rule.part("expr")
    if node is not None and isinstance(node.value, str):
        before = max(node.value.find(rule.expr), 0)
        return place(node, edit.place[0] + before, edit.place[1] + before)
    if rule.part("when") is None:
        return rule.origin.span
    for key in _KEYS.get(edit.operator, ("above", "below")):
        if rule.part("when", key) is not None:
            return rule.place("when", key)
    return rule.place("when")
