"""What the tests ask about: rules, the `or` branches of alerts, and the label values that alerts match.

An alert is covered by a test that expects it to fire, a branch where it would fire alone at such a moment, and a label value by
a series with it at a moment at which a test asks about the alert. A recording rule is covered where an assertion depends on it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from gpuobs import promql
from gpuobs.diagnostics import Span
from gpuobs.ir import AlertingRule, Program, RecordingRule, Rule
from gpuobs.lower import queries
from gpuobs.promql.labelset import alternatives
from gpuobs.promql.nodes import Binary, Node, bare, walk
from gpuobs.spec.document import place
from gpuobs.verify import failures, running
from gpuobs.verify.mutants import batches
from gpuobs.verify.mutants.chains import affected
from gpuobs.verify.mutants.edits import operand
from gpuobs.verify.mutants.making import Mutant
from gpuobs.verify.promtool import Promtool
from gpuobs.verify.suites import Case, alert_key, key

Kind = Literal["alert", "branch", "label value", "recording rule"]
KINDS: tuple[Kind, ...] = ("alert", "branch", "label value", "recording rule")
_ALONE = 'ALERTS{{alertname="{}", alertstate="firing"}}'


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """One thing to cover; `text` is the branch, or the label with its value. `probe` asks whether it is there."""

    kind: Kind
    rule: Rule
    place: Span
    text: str = ""
    probe: str = ""
    branch: Mutant | None = None


@dataclass(frozen=True, slots=True)
class Coverage:
    """All items, and those that are covered."""

    items: tuple[Item, ...]
    covered: frozenset[int]  # by identity

    def of(self, items: Iterable[Item]) -> tuple[int, int]:
        """How many of some items are covered, and how many there are."""
        listed = list(items)
        return sum(id(item) in self.covered for item in listed), len(listed)

    @property
    def missing(self) -> list[Item]:
        return [item for item in self.items if id(item) not in self.covered]

    @property
    def percent(self) -> float:
        return 100 * len(self.covered) / len(self.items) if self.items else 100.0

    def by_label(self, label: str) -> dict[str, tuple[int, int]]:
        """Alerts by the value of one of their labels."""
        alerts = [item for item in self.items if item.kind == "alert"]
        values = sorted({item.rule.labels[label] for item in alerts if label in item.rule.labels})
        return {
            value: self.of(item for item in alerts if item.rule.labels.get(label) == value)
            for value in values
        }


def measure(
    promtool: Promtool, program: Program, cases: Sequence[Case], wanted: Callable[[Rule], bool]
) -> Coverage:
    """The coverage of the rules that are wanted."""
    from concurrent.futures import ThreadPoolExecutor

    items = tuple(
        item for rule in program.rules if wanted(rule) for item in _items(rule, program.version)
    )
    covered = {id(item) for item in items if not item.text and _is_asked(item.rule, cases)}
    with running.scratch() as scratch, ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        probed = pool.map(
            lambda each: _probed(promtool, each[1], items, Path(scratch, str(each[0]))),
            enumerate(cases),
        )
        for found in probed:
            covered |= found
    return Coverage(items, frozenset(covered))


def _is_asked(rule: Rule, cases: Sequence[Case]) -> bool:
    if isinstance(rule, RecordingRule):
        return any(id(rule) in case.ids for case in cases)
    return any(_moments(case, rule) for case in cases if id(rule) in case.ids)


def _moments(case: Case, rule: Rule, *, firing: bool = True) -> list[str]:
    """When a case expects an alert to fire; without `firing` also when it expects that it does not."""
    asked = (a for a in case.assertions if a.reads and key(rule) in a.reads)
    return sorted({assertion.at for assertion in asked if assertion.expects or not firing})


# What there is to cover -----------------------------------------------------------------------------------------------


def _items(rule: Rule, version: tuple[int, int]) -> Iterator[Item]:
    if isinstance(rule, RecordingRule):
        yield Item("recording rule", rule, rule.origin.span)
        return
    yield Item("alert", rule, rule.origin.span)
    parsed = promql.parse(rule.expr, version)
    if isinstance(parsed, promql.Refused):
        return
    for node in walk(parsed.tree):
        if isinstance(node, Binary) and node.name == "or" and not _continues(node, parsed.tree):
            yield from (_branch(rule, parsed.text, node, leaf) for leaf in _leaves(node))
    yield from _values(rule, parsed)


def _continues(node: Binary, tree: Node) -> bool:
    """Whether a longer chain of `or` holds this one."""
    return any(
        isinstance(above, Binary)
        and above.name == "or"
        and node in (bare(above.lhs), bare(above.rhs))
        for above in walk(tree)
    )


def _leaves(node: Node) -> Iterator[Node]:
    inside = bare(node)
    if isinstance(inside, Binary) and inside.name == "or":
        yield from _leaves(inside.lhs)
        yield from _leaves(inside.rhs)
    else:
        yield node


def _branch(rule: AlertingRule, text: str, node: Binary, leaf: Node) -> Item:
    expr = text[: node.start] + operand(text, leaf) + text[node.end :]
    shown = " ".join(text[leaf.start : leaf.end].split())
    where = _place(rule, leaf.start, leaf.end)
    alone = Mutant(rule, replace(rule, expr=expr), "branch", shown, where)
    return Item("branch", rule, where, shown, branch=alone)


def _values(rule: AlertingRule, parsed: promql.Parsed) -> Iterator[Item]:
    """Each value of each matcher that lists its values."""
    seen: set[tuple[str, str]] = set()
    for selector in promql.selectors(parsed):
        for matcher in filter(lambda m: _is_written(rule, m.label), selector.matchers):
            listed = {matcher.value} if matcher.op == "=" else None
            if matcher.op == "=~":
                listed = set(alternatives(matcher.value) or ())
            where = _place(rule, matcher.label_start, matcher.value_end)
            for value in sorted(listed or ()):
                text = queries.matcher(matcher.label, [value])
                probe = queries.selector(selector.name, [text])
                if selector.name and value and (probe, text) not in seen:
                    seen.add((probe, text))
                    yield Item("label value", rule, where, text, probe)


def _is_written(rule: Rule, label: str) -> bool:
    """Whether somebody wrote the values of a label, and not a catalog: the classes of XIDs are its."""
    return rule.part("when") is None or rule.part("when", "match", label) is not None


def _place(rule: Rule, start: int, end: int) -> Span:
    node = rule.part("expr")
    if node is not None and isinstance(node.value, str):
        before = max(node.value.find(rule.expr), 0)
        return place(node, start + before, end + before)
    return rule.place("when") if rule.part("when") is not None else rule.origin.span


# Asking promtool ------------------------------------------------------------------------------------------------------


def _probed(promtool: Promtool, case: Case, items: Sequence[Item], folder: Path) -> set[int]:
    """The branches and values of alerts that are there at a moment at which the case expects the alert."""
    here = {
        number: item
        for number, item in enumerate(items, 1)
        if item.text and id(item.rule) in case.ids
    }
    branches = {
        number: item.branch
        for number, item in here.items()
        if item.branch is not None and affected(case, item.branch) is not None
    }
    named = batches.names(case, branches)
    asked = [
        _assertion(expr, at, f"{number}.{index}")
        for number, item in here.items()
        for expr in _expressions(item, named.get(number))
        for index, at in enumerate(_moments(case, item.rule, firing=not item.probe))
    ]
    if not asked:
        return set()
    output = batches.ask(case, branches, asked, promtool, folder)
    found = (failure.case for failure in failures.parse(output or ""))
    return {id(here[number]) for number in found if number is not None}


def _expressions(item: Item, names: Mapping[str, str] | None) -> Iterator[str]:
    if item.probe:
        yield item.probe
    elif names and isinstance(item.rule, AlertingRule):
        yield _ALONE.format(names[alert_key(item.rule.alert)])


def _assertion(expr: str, at: str, tag: str) -> tuple[str, dict[str, Any]]:
    data = {"expr": f"{expr} # {tag}", "eval_time": at, "exp_samples": []}
    return "promql_expr_test", data
