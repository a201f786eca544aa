"""Test cases of any origin in one form, with the rules that each of them evaluates and reads."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

from gpuobs import promql
from gpuobs.diagnostics import Span
from gpuobs.foreign import promtool_fields
from gpuobs.foreign.files import paths_of
from gpuobs.ir import Program, RecordingRule, Rule, RuleGroup, RuleTestFile
from gpuobs.promql.nodes import Call, String, walk
from gpuobs.spec.node import Node

Form = Literal["promql_expr_test", "alert_rule_test"]
_SERIES_OF_ALERTS = ("ALERTS", "ALERTS_FOR_STATE")
# What is said once for a whole test file, and here for each case.
_OF_FILE = ("rule_files", "evaluation_interval", "group_eval_order", "tests")
_RENAMING = ("label_replace", "label_join")


@dataclass(frozen=True, slots=True, eq=False)
class Assertion:
    """One thing that a case expects, in promtool's form. `reads` are keys of rules; None where any rule may be read."""

    form: Form
    data: Mapping[str, Any]
    reads: frozenset[str] | None

    @property
    def at(self) -> str:
        return str(self.data.get("eval_time", "0s"))

    @property
    def expects(self) -> bool:
        """Whether something must be there, and not nothing."""
        return bool(self.data.get("exp_samples") or self.data.get("exp_alerts"))


@dataclass(frozen=True, eq=False)
class Case:
    """One test case: `groups` in the order of their evaluation, every `interval`; `data` and `file` as promtool has them."""

    name: str
    place: Span
    interval: str
    groups: tuple[RuleGroup, ...]
    data: Mapping[str, Any]
    file: Mapping[str, Any]
    version: tuple[int, int]
    subject: str = ""  # the alert whose case it is, where it comes from a spec
    authored: bool = True  # a scenario or test that somebody wrote, and not one that is derived

    @cached_property
    def assertions(self) -> tuple[Assertion, ...]:
        found = [
            Assertion("promql_expr_test", data, reads(str(data.get("expr")), self.version))
            for data in self.data.get("promql_expr_test") or ()
        ]
        for data in self.data.get("alert_rule_test") or ():
            asked = frozenset({alert_key(str(data.get("alertname")))})
            found.append(Assertion("alert_rule_test", data, asked))
        return tuple(found)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that its assertions depend on, in the order of evaluation."""
        every = [rule for group in self.groups for rule in group.rules]
        needed = _needed(every, [a.reads for a in self.assertions], self.version)
        return tuple(rule for rule in every if id(rule) in needed)

    @cached_property
    def ids(self) -> frozenset[int]:
        return frozenset(map(id, self.rules))


def key(rule: Rule) -> str:
    """What others read a rule by: its record, or its name among the alerts."""
    return rule.record if isinstance(rule, RecordingRule) else alert_key(rule.alert)


def alert_key(name: str) -> str:
    return f"ALERTS{{{name}}}"


@lru_cache(maxsize=32768)
def reads(expr: str, version: tuple[int, int]) -> frozenset[str] | None:
    """Metric names and alerts that an expression reads; None where it may read any."""
    parsed = promql.parse(expr, version)
    if isinstance(parsed, promql.Refused):
        return frozenset()
    found: set[str] = set()
    for selector in promql.selectors(parsed):
        if not selector.name:
            return None
        if selector.name not in _SERIES_OF_ALERTS:
            found.add(selector.name)
            continue
        named = [m.value for m in selector.matchers if (m.label, m.op) == ("alertname", "=")]
        if not named:
            return None
        found.update(map(alert_key, named))
    return None if _renames(parsed) else frozenset(found)


def _renames(parsed: promql.Parsed) -> bool:
    """Whether the expression reads or writes names of metrics as values of a label."""
    return any(
        isinstance(node, Call)
        and node.name in _RENAMING
        and any(isinstance(arg, String) and arg.value == "__name__" for arg in node.args)
        for node in walk(parsed.tree)
    )


def _needed(
    rules: Sequence[Rule], asked: Iterable[frozenset[str] | None], version: tuple[int, int]
) -> set[int]:
    writers: dict[str, list[Rule]] = {}
    for rule in rules:
        writers.setdefault(key(rule), []).append(rule)
    wanted = list(asked)
    needed: set[int] = set()
    while wanted:
        names = wanted.pop()
        if names is None:
            return {id(rule) for rule in rules}
        for name in names:
            for rule in writers.pop(name, ()):
                needed.add(id(rule))
                wanted.append(reads(rule.expr, version))
    return needed


# Where cases come from ------------------------------------------------------------------------------------------------


def generated(program: Program) -> Iterator[Case]:
    """The cases that a program's specs make, as promtool would read them."""
    from gpuobs.spec.document import read
    from gpuobs.targets.unit_tests import content

    files = {file.name: file for file in program.rule_files}
    for plan in program.test_files:
        node, problems = read(plan.name, content(program, plan, plan.rule_files))
        assert node is not None, problems
        groups = [group for name in plan.rule_files for group in files[name].groups]
        yield from cases(node, groups, program.version, plan)


def written(program: Program, out: Path, tests: Sequence[Path]) -> Iterator[Case]:
    """The cases of the project's own test files, with the rules that the specs make; files that only promtool reads have none."""
    from gpuobs.files import display
    from gpuobs.spec.document import read
    from gpuobs.targets.prometheus_rules import path as rules_path

    made = {os.path.realpath(out / rules_path(file.name)): file for file in program.rule_files}
    for path in tests:
        node, _ = read(display(path), path.read_bytes())
        if node is None or any(promtool_fields.problems(node, program.version)):
            continue  # promtool says why
        named = [str(each.value) for each in _items(node, "rule_files")]
        matched = [os.path.realpath(each) for name in named for each in paths_of(path.parent, name)]
        groups = [group for each in matched if each in made for group in made[each].groups]
        yield from cases(node, groups, program.version, None)


def cases(
    node: Node,
    groups: Sequence[RuleGroup],
    version: tuple[int, int],
    plan: RuleTestFile | None,
) -> Iterator[Case]:
    """The cases of a test file, with the groups of its rule files; `plan` is what it was made from."""
    data = node.plain()
    order = {name: number for number, name in enumerate(data.get("group_eval_order") or ())}
    ordered = tuple(sorted(groups, key=lambda group: order.get(group.name, 0)))
    file = {k: v for k, v in data.items() if k not in _OF_FILE}
    for number, case in enumerate(_items(node, "tests")):
        planned = plan.cases[number] if plan is not None else None
        named = case.get("name")
        yield Case(
            name=planned.name if planned else str(named.value) if named else f"case {number + 1}",
            place=planned.origin.span if planned else case.span,
            interval=str(data.get("evaluation_interval") or "1m"),
            groups=ordered,
            data={k: v for k, v in case.plain().items() if k != "name"},
            file=file,
            version=version,
            subject=planned.origin.name.partition("/")[0] if planned else "",
            authored="/" in planned.origin.name if planned else True,
        )


def _items(node: Node, name: str) -> list[Node]:
    found = node.get(name)
    return found.value if found is not None and isinstance(found.value, list) else []
