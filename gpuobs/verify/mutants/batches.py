"""Mutants run against one test case: the files for promtool, and what it says of each mutant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gpuobs.ir import AlertingRule, Rule, RuleGroup
from gpuobs.targets import _yaml
from gpuobs.targets.prometheus_rules import group_data
from gpuobs.verify import failures, running
from gpuobs.verify.mutants import chains
from gpuobs.verify.mutants.chains import Names
from gpuobs.verify.mutants.making import Mutant
from gpuobs.verify.promtool import Promtool
from gpuobs.verify.suites import Assertion, Case

_ORIGINAL = 0
_RULE_ERROR = re.compile(
    r"^ {4}rule: (?P<rule>.*), time: (?P<time>[0-9a-z.]+), err: (?P<error>.*)$", re.MULTILINE
)
_NAMED = re.compile(r"__mutant([0-9]+)\b")


@dataclass(frozen=True, slots=True)
class Batch:
    """A case with mutants by their numbers. `alone` are those that cannot be told apart by name, each run by itself."""

    case: Case
    mutants: Mapping[int, Mutant]
    alone: frozenset[int]


@dataclass(frozen=True, slots=True)
class Said:
    """How a case notices mutants: by number, in words. `broken` is why the case proves nothing, as it fails without them."""

    killed: Mapping[int, str]
    broken: str = ""


def batch(case: Case, mutants: Mapping[int, Mutant]) -> Batch:
    alone = {n for n, mutant in mutants.items() if chains.affected(case, mutant) is None}
    return Batch(case, mutants, frozenset(alone))


def run(batch: Batch, promtool: Promtool, folder: Path) -> Said:
    """Runs until no mutant breaks the evaluation of the others: one that does is noticed by that."""
    killed: dict[int, str] = {}
    together = {n: m for n, m in batch.mutants.items() if n not in batch.alone}
    while True:
        output = _run_together(batch.case, together, promtool, folder)
        said = _read(output, together)
        killed.update(said.killed)
        if said.broken or not (output and _stopped(output)):
            break
        together = {n: m for n, m in together.items() if n not in killed}
    if said.broken:
        return said
    for number in sorted(batch.alone):
        output = run_alone(batch.case, batch.mutants[number], promtool, folder)
        if output is not None:
            killed[number] = _first(output)
    return Said(killed)


def run_alone(case: Case, mutant: Mutant, promtool: Promtool, folder: Path) -> str | None:
    """The case with the mutant in the place of its rule: what promtool says, None where nothing is noticed."""
    changed = [mutant.changed if rule is mutant.rule else rule for rule in case.rules]
    kept = dict(zip(map(id, case.rules), changed, strict=True))
    groups = [
        replace(group, rules=tuple(kept[id(r)] for r in group.rules if id(r) in kept))
        for group in case.groups
    ]
    return _output(
        case, groups, [(a.form, dict(a.data)) for a in case.assertions], promtool, folder
    )


def _run_together(
    case: Case, mutants: Mapping[int, Mutant], promtool: Promtool, folder: Path
) -> str | None:
    asked = [_tagged(case, a, i, {}, _ORIGINAL) for i, a in enumerate(case.assertions)]
    asked += [
        _tagged(case, a, i, each, number)
        for number, each in names(case, mutants).items()
        for i, a in enumerate(case.assertions)
        if a.reads and not a.reads.isdisjoint(each)
    ]
    return ask(case, mutants, asked, promtool, folder)


def names(case: Case, mutants: Mapping[int, Mutant]) -> dict[int, Names]:
    """What each mutant changes in a case, with its names for it."""
    keys = {number: chains.affected(case, mutant) for number, mutant in mutants.items()}
    return {number: chains.renamed(each or (), number) for number, each in keys.items()}


def ask(
    case: Case,
    mutants: Mapping[int, Mutant],
    asked: Iterable[tuple[str, dict[str, Any]]],
    promtool: Promtool,
    folder: Path,
) -> str | None:
    """What promtool says of assertions about the rules of a case and those of its mutants."""
    named = {n: (mutants[n], each) for n, each in names(case, mutants).items()}
    templates = any(a.form == "alert_rule_test" for a in case.assertions)
    groups = [_with_copies(case, group, named, templates) for group in case.groups]
    return _output(case, groups, asked, promtool, folder)


def _tagged(
    case: Case, asked: Assertion, index: int, names: Names, number: int
) -> tuple[str, dict[str, Any]]:
    return asked.form, chains.assertion(asked, names, f"{number}.{index}", case.version)


def _with_copies(
    case: Case, group: RuleGroup, named: Mapping[int, tuple[Mutant, Names]], templates: bool
) -> RuleGroup:
    """The group with each rule's copies behind it, so that they see what it sees."""
    rules: list[Rule] = []
    for rule in group.rules:
        if id(rule) in case.ids:
            rules += [rule, *chains.copies(rule, named, case.version)]
    if not templates:
        rules = [replace(r, annotations={}) if isinstance(r, AlertingRule) else r for r in rules]
    return replace(group, rules=tuple(rules))


def _output(
    case: Case,
    groups: Iterable[RuleGroup],
    asked: Iterable[tuple[str, dict[str, Any]]],
    promtool: Promtool,
    folder: Path,
) -> str | None:
    """What promtool says of some rules and assertions on the series of a case."""
    kept = [_group(group) for group in groups if group.rules]
    forms: dict[str, list[dict[str, Any]]] = {}
    for form, data in asked:
        forms.setdefault(form, []).append(data)
    inputs = {
        k: v for k, v in case.data.items() if k not in ("promql_expr_test", "alert_rule_test")
    }
    tests = {
        **case.file,
        "rule_files": ["rules.yaml"],
        "evaluation_interval": case.interval,
        "group_eval_order": [group["name"] for group in kept],
        "tests": [{**inputs, **forms}],
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rules.yaml").write_bytes(_yaml.document({"groups": kept}))
    (folder / "tests.yaml").write_bytes(_yaml.document(tests))
    return running.output(promtool, folder / "tests.yaml", folder)


def _group(group: RuleGroup) -> dict[str, Any]:
    data = group_data(group)
    return data if group.interval else {k: v for k, v in data.items() if k != "interval"}


def _stopped(output: str) -> bool:
    """Whether the case ended where a rule could not be evaluated, or was not loaded at all."""
    return bool(_RULE_ERROR.search(output)) or not failures.parse(output)


def _read(output: str | None, mutants: Mapping[int, Mutant]) -> Said:
    killed: dict[int, str] = {}
    for error in _RULE_ERROR.finditer(output or ""):
        number = chains.number_of(error["rule"])
        if number is None:
            return Said({}, f"'{error['rule']}' cannot be evaluated: {error['error']}")
        killed[number] = f"it cannot be evaluated: {error['error']}"
    for failure in failures.parse(output or ""):
        number = chains.number_of(failure.subject) if failure.is_alert else failure.case
        if not number:
            return Said({}, f"it fails at {failure.time}: {failure.subject}")
        killed.setdefault(number, f"at {failure.time}")
    if output is not None and not killed:
        refused = {int(found) for found in _NAMED.findall(output)} & mutants.keys()
        if not refused:
            return Said({}, _first(output))
        killed = dict.fromkeys(refused, "Prometheus does not load it")
    return Said(killed)


def _first(output: str) -> str:
    failed = failures.parse(output)
    if failed:
        return f"at {failed[0].time}"
    lines = (line.strip() for line in output.splitlines())
    silent = ("", "FAILED:", "SUCCESS")
    said = [li for li in lines if li not in silent and not li.startswith("Unit Testing:")]
    return " ".join(said[:3])
