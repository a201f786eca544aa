"""promtool unit tests of the plain rule files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuobs.ir import Artifact, Assertion, Program, RuleTest, RuleTestFile
from gpuobs.targets._yaml import Comment, document
from gpuobs.targets.prometheus_rules import header
from gpuobs.targets.prometheus_rules import path as rules_path

NAME = "tests"

# promtool refuses a test file with a field that it does not know; `name` came with 2.49.
NAMES_SINCE = (2, 49)


def render(program: Program) -> Iterator[Artifact]:
    """One test file a spec document with tests."""
    for file in program.test_files:
        rule_files = tuple(f"../{rules_path(name)}" for name in file.rule_files)
        yield Artifact(path(file.name), content(program, file, rule_files))


def content(program: Program, file: RuleTestFile, rule_files: tuple[str, ...]) -> bytes:
    """A test file that reads its rules from these paths."""
    return document(_file_data(program, file, rule_files), header(file.origin))


def path(name: str) -> str:
    return f"{NAME}/{name}.yaml"


def _file_data(program: Program, file: RuleTestFile, rule_files: tuple[str, ...]) -> dict[str, Any]:
    return {
        "rule_files": list(rule_files),
        "evaluation_interval": file.evaluation_interval,
        "group_eval_order": list(file.group_order),
        "tests": [_case(program, case) for case in file.cases],
    }


def _case(program: Program, case: RuleTest) -> Any:
    data: dict[str, Any] = {
        "interval": case.interval,
        "input_series": [{"series": s.series, "values": s.values} for s in case.series],
        "promql_expr_test": [_assertion(assertion) for assertion in case.assertions],
    }
    if program.version >= NAMES_SINCE:
        return {"name": case.name, **data}
    return Comment(case.name, data)


def _assertion(assertion: Assertion) -> Comment:
    samples = [{"labels": sample.labels, "value": sample.value} for sample in assertion.samples]
    return Comment(
        assertion.claim,
        {"expr": assertion.expr, "eval_time": assertion.at, "exp_samples": samples},
    )
