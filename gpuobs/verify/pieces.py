"""Generated tests cut down to what each alert needs: its own cases, and the rules that it reads.

promtool evaluates every rule of every file of a test at every step, needed or not. A piece holds the alert and the
chain below it, so that all pieces together take a fraction of the time. Where one fails, the generated file itself is
run as it stands: that is what counts, and what is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from gpuobs.ir import AlertingRule, Program, RecordingRule, Rule, RuleTestFile
from gpuobs.lower.groups import feeds, selected
from gpuobs.targets import prometheus_rules, unit_tests


@dataclass(frozen=True, slots=True)
class Piece:
    """One alert's tests: a rule file and a test file that reads it by the name `rules`."""

    rules: bytes
    tests: bytes


RULES = "rules.yaml"


def pieces(program: Program, plan: RuleTestFile) -> Iterator[Piece]:
    """The pieces of one generated test file, none where a case belongs to no alert."""
    alerts = list(dict.fromkeys(case.origin.name.partition("/")[0] for case in plan.cases))
    files = {file.name: file for file in program.rule_files}
    groups = [group for name in plan.rule_files for group in files[name].groups]
    rules = [rule for group in groups for rule in group.rules]
    written = {rule.alert for rule in rules if isinstance(rule, AlertingRule)}
    if not written.issuperset(alerts):
        return
    writers = _writers(rules)
    for alert in alerts:
        needed = _needed(alert, rules, writers, program.version)
        kept = [
            replace(group, rules=tuple(rule for rule in group.rules if id(rule) in needed))
            for group in groups
        ]
        kept = [group for group in kept if group.rules]
        part = replace(
            plan,
            rule_files=(RULES,),
            group_order=tuple(group.name for group in kept),
            cases=tuple(c for c in plan.cases if c.origin.name.partition("/")[0] == alert),
        )
        yield Piece(
            prometheus_rules.content(kept, plan.origin), unit_tests.content(program, part, (RULES,))
        )


def _writers(rules: list[Rule]) -> Mapping[str, list[RecordingRule]]:
    writers: dict[str, list[RecordingRule]] = {}
    for rule in rules:
        if isinstance(rule, RecordingRule):
            writers.setdefault(rule.record, []).append(rule)
    return writers


def _needed(
    alert: str,
    rules: list[Rule],
    writers: Mapping[str, list[RecordingRule]],
    version: tuple[int, int],
) -> set[int]:
    """The alert's rule and, directly or not, all that it reads, by identity."""
    todo: list[Rule] = [r for r in rules if isinstance(r, AlertingRule) and r.alert == alert]
    needed: set[int] = set()
    while todo:
        rule = todo.pop()
        if id(rule) not in needed:
            needed.add(id(rule))
            todo += [
                writer
                for selector in selected(rule.expr, version)
                for writer in writers.get(selector.name, ())
                if feeds(writer, selector)
            ]
    return needed
