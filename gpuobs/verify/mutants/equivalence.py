"""Mutants that no test can notice, each with the reason that proves it.

A proof holds for all series that the fleet can have, not only for those of today's tests: `>` for `>=` is another rule
wherever a value can be exactly at the threshold. Of the metrics of foreign rules nothing is assumed but what the rules record.
"""

from __future__ import annotations

from functools import lru_cache

from gpuobs import promql
from gpuobs.ir import AlertingRule, Program, Rule
from gpuobs.promql.analysis import Analysis, analyse
from gpuobs.promql.nodes import Aggregate, Binary, Call, Node, Select, constant
from gpuobs.promql.shapes import Shape
from gpuobs.verify.mutants import domains, hidden
from gpuobs.verify.mutants.comparing import COMPARATORS
from gpuobs.verify.mutants.edits import Edit
from gpuobs.verify.mutants.grouping import one_each
from gpuobs.verify.mutants.making import Mutant
from gpuobs.verify.mutants.whole import Wholeness
from gpuobs.world import FleetWorld

# Of one value each of these is the value itself.
_OF_ONE = frozenset({"max", "min", "avg", "sum"})
_NESTED = frozenset({"max", "min", "sum"})
_ONLY_VALUES = frozenset({"aggregation", "arithmetic"})


class Prover:
    """Proofs about the mutants of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._world = _Recorded(program) if program.foreign else FleetWorld(program)
        self._whole = Wholeness(program)
        self._analysed = lru_cache(maxsize=None)(self._analyse)

    def reason(self, mutant: Mutant) -> str:
        """Why a mutant gives the same as its rule; empty where that is not proved."""
        if mutant.edit is None or mutant.tree is None:
            return ""
        analysis = self._analysed(mutant.tree)
        return self._by_meaning(mutant, mutant.edit, analysis) or _unseen(mutant, analysis)

    def _analyse(self, tree: Node) -> Analysis:
        return analyse(tree, self._world)

    def _by_meaning(self, mutant: Mutant, edit: Edit, analysis: Analysis) -> str:
        match edit.operator, edit.node:
            case (("comparator" | "threshold"), Binary() as node):
                return self._compared(mutant, node, analysis)
            case "arithmetic", Binary() as node:
                return _neutral(node, analysis[node.rhs])
            case "aggregation", Aggregate() as node:
                return _aggregated(node, edit, analysis)
            case "label", Aggregate() as node:
                return _label(node, edit, analysis)
            case "matcher", Select() as node if "dropped" in edit.said:
                return self._matched(node, edit)
            case "branch", Binary() as node:
                return _branch(node, edit, analysis)
        return ""

    def _compared(self, mutant: Mutant, node: Binary, analysis: Analysis) -> str:
        """No value that there can be lies where the two comparisons differ."""
        changed = self._changed(mutant, node)
        if changed is None or node.name not in COMPARATORS:
            return ""
        value, limit, swapped = node.lhs, constant(node.rhs), False
        if limit is None:
            value, limit, swapped = node.rhs, constant(node.lhs), True
        other = constant(changed.lhs if swapped else changed.rhs)
        if limit is None or other is None or self._has_spikes(value):
            return ""
        shape = analysis[value]
        before = domains.Comparison(node.name, limit, swapped)
        after = domains.Comparison(changed.name, other, swapped)
        if domains.differ(before, after, shape, self._whole.of(value)):
            return ""
        whole = "whole numbers, " if self._whole.of(value) else ""
        return f"its values are {whole}{shape.range}: none lies where the two differ"

    def _has_spikes(self, node: Node) -> bool:
        """Whether values beyond the range of a metric were seen."""
        policy = self._program.policy
        known = policy.known if policy is not None else {}
        selected = (n.selector.name for n in promql.walk(node) if isinstance(n, Select))
        return any(known[name][0].sentinel == "spike" for name in selected if name in known)

    def _changed(self, mutant: Mutant, node: Binary) -> Binary | None:
        """The comparison as the mutant has it: the tree is of one form, so it begins where it began."""
        parsed = promql.parse(mutant.changed.expr, self._program.version)
        if not isinstance(parsed, promql.Parsed):
            return None
        found = (n for n in promql.walk(parsed.tree) if isinstance(n, Binary))
        return next((n for n in found if _same_place(n, node)), None)

    def _matched(self, node: Select, edit: Edit) -> str:
        """All series of the metric pass the matcher."""
        selector = node.selector
        shape = self._world.metric(selector.name) if selector.name else None
        matcher = next(m for m in selector.matchers if m.label_start == edit.place[0])
        if shape is None:
            return ""
        others = shape.labels.narrowed(m for m in selector.matchers if m is not matcher)
        values = others.values.get(matcher.label)
        if values is None or matcher.label not in others.certain:
            return ""
        if others.narrowed((matcher,)).values.get(matcher.label) != values:
            return ""
        return (
            f"every '{selector.name}' of this fleet has {matcher.label}={'|'.join(sorted(values))}"
        )


class _Recorded(FleetWorld):
    """A world in which only what is recorded is known: the series of others' exporters are theirs."""

    def metric(self, name: str) -> Shape | None:
        return super().metric(name) if name in self._rules else None


def _same_place(changed: Binary, node: Binary) -> bool:
    """Edits of a comparison change no character before its operator but those of a constant on its left."""
    swapped = constant(node.lhs) is not None
    return (
        changed.name in COMPARATORS
        and changed.lhs.start == node.lhs.start
        and (changed.operator.start == node.operator.start or swapped)
        and (constant(changed.lhs) is not None) == swapped
    )


def _neutral(node: Binary, right: Shape) -> str:
    value = {"*": 1.0, "/": 1.0, "+": 0.0, "-": 0.0}[node.name]
    same = (right.range.low, right.range.high) == (value, value) and not right.range.nan
    return f"what stands on its right is always {value:g}" if same else ""


def _aggregated(node: Aggregate, edit: Edit, analysis: Analysis) -> str:
    operand = analysis[node.expr]
    if {node.name, edit.text} <= _OF_ONE and one_each(node, operand.labels):
        return "each group has one series"
    ones = (operand.range.low, operand.range.high) == (1.0, 1.0) and not operand.range.nan
    if {node.name, edit.text} == {"count", "sum"} and ones:
        return "every value is 1"
    return ""


def _label(node: Aggregate, edit: Edit, analysis: Analysis) -> str:
    label = next(n for n, start, _ in node.grouping.labels if start == edit.place[0])  # type: ignore[union-attr]
    if not analysis[node.expr].labels.can_have(label):
        return f"no series has a label '{label}' here"
    above = analysis.parents.get(node)
    if (
        isinstance(above, Aggregate)
        and above.name == node.name in _NESTED
        and node.by is not None
        and above.by is not None
        and label not in above.by
    ):
        return f"the '{above.name}' around it drops '{label}' all the same"
    return ""


def _branch(node: Binary, edit: Edit, analysis: Analysis) -> str:
    dropped = node.lhs if node.lhs.start == edit.place[0] else node.rhs
    range_ = analysis[dropped].range
    if node.name != "and" and range_.empty and not range_.nan:
        return "the branch can never give a result"
    return ""


def _unseen(mutant: Mutant, analysis: Analysis) -> str:
    """A change of values alone, where nobody looks at them."""
    edit = mutant.edit
    assert edit is not None
    series = isinstance(edit.node, Call) and edit.node.name == "vector"
    if edit.operator not in _ONLY_VALUES and not series:
        return ""
    return hidden.reason(edit.node, analysis, _shows_value(mutant.rule))


def _shows_value(rule: Rule) -> bool:
    """Whether the value of a rule's result can be seen: that of an alert only in its texts."""
    if not isinstance(rule, AlertingRule):
        return True
    texts = (*rule.labels.values(), *rule.annotations.values())
    return any("$value" in text or ".Value" in text for text in texts)
