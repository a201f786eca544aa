"""A rule group with more rules than the fleet's long-term store takes.

Mimir allows 20 rules a group by default (`ruler_max_rules_per_rule_group`) and refuses the upload
of a larger one, while promtool is content with it. gpuobs cuts the groups that it writes itself;
in a rule file of others a cut is best made where no rule behind it reads a record before it,
because such a rule would read it one evaluation late.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import Program, RecordingRule, RuleGroup
from gpuobs.lower.groups import limit, reads

CODE = "rule/group-too-large"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    assert program.policy is not None
    most = limit(program.policy)
    for file in program.rule_files:
        for group in file.groups:
            written = group.written.get("rules") if group.written is not None else None
            size = len(group.rules if written is None else written.value or ())
            if most is not None and size > most:
                name = group.written.get("name") if group.written is not None else None
                span = file.origin.span if name is None else name.span
                message = f"group '{group.name}' has {size} rules, and Mimir takes {most}"
                yield error(span, CODE, message, _hint(group, most, program.version))


def _hint(group: RuleGroup, most: int, version: tuple[int, int]) -> str:
    groups = -(-len(group.rules) // most)
    seam = _seam(group, most, version)
    if seam is None:
        return f"split it in {groups}; every cut makes a rule read a record one evaluation late"
    return f"split it in {groups}: '{seam}' may begin the second, for it and what follows read nothing before it"


def _seam(group: RuleGroup, most: int, version: tuple[int, int]) -> str | None:
    """The name of the last rule at which the group can be cut without a late reading, None where there is none."""
    records = [rule.record if isinstance(rule, RecordingRule) else "" for rule in group.rules]
    read = [set(reads(rule.expr, version)) for rule in group.rules]
    for index in range(min(most, len(records) - 1), 0, -1):
        if set(records[:index]).isdisjoint(set().union(*read[index:])):
            rule = group.rules[index]
            return rule.record if isinstance(rule, RecordingRule) else rule.alert
    return None
