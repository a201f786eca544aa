"""Rules as others write them, checked against the base project's fleet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from gpuobs import checks
from gpuobs.diagnostics import Diagnostic
from gpuobs.ir import AlertingRule, Origin, Program, RecordingRule, Rule, RuleFile, RuleGroup
from gpuobs.pipeline import check_project
from gpuobs.policy import Policy
from gpuobs.spec.document import read
from gpuobs.spec.node import Node, Source
from tests.projects import BASE


@lru_cache(maxsize=1)
def base_policy() -> Policy:
    program = check_project(BASE).program
    assert program is not None
    assert program.policy is not None
    return replace(program.policy, alerts=(), rollups=())


def assumed_policy() -> Policy:
    """The same fleet, as if it were built in."""
    fleet = base_policy().fleet
    source = Source("<built-in>/fleet.yaml", "")
    return replace(base_policy(), fleet=replace(fleet, written=Node(source, {}, (1, 1, 1, 1))))


def alert(expr: str, **more: Mapping[str, str]) -> AlertingRule:
    written = _written(expr, more)
    return AlertingRule(
        alert="Example",
        expr=expr,
        labels=more.get("labels", {}),
        annotations=more.get("annotations", {}),
        origin=Origin(written.span, "Rule", "Example"),
        written=written,
    )


def record(
    expr: str, name: str = "a:b:c", labels: Mapping[str, str] | None = None
) -> RecordingRule:
    written = _written(expr, {"labels": labels} if labels else {})
    origin = Origin(written.span, "Rule", name)
    return RecordingRule(
        record=name, expr=expr, labels=labels or {}, origin=origin, written=written
    )


def findings(*rules: Rule, policy: Policy | None = None) -> list[Diagnostic]:
    """What the checks say of rules of others."""
    origin = rules[0].origin
    group = RuleGroup(name="example", interval="", rules=rules)
    program = Program(
        fleet="small",
        version=(2, 42),
        rule_files=(RuleFile(name="example", groups=(group,), origin=origin),),
        test_files=(),
        foreign=True,
        policy=policy or base_policy(),
    )
    return checks.check(program)


def codes(*rules: Rule, policy: Policy | None = None) -> str:
    """The codes of these findings in order, each once."""
    return " ".join(sorted({finding.code for finding in findings(*rules, policy=policy)}))


def _written(expr: str, parts: Mapping[str, Mapping[str, str]]) -> Node:
    import json

    node, problems = read("rules.yaml", json.dumps({"expr": expr, **parts}).encode())
    assert node is not None, problems
    return node
