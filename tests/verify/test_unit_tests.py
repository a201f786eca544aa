"""A failed test is shown at the place in the specs that it comes from, alike with every promtool."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gpuobs.diagnostics import Diagnostic, EnvironmentProblem
from gpuobs.ir import InputSeries, Program
from gpuobs.targets import render
from gpuobs.verify.promtool import Promtool
from gpuobs.verify.unit_tests import Report, run
from tests.targets.programs import ALERT, CASE, FIRING, program

ONE = replace(CASE, name="Hot: one of two")
COLD = replace(
    CASE,
    name="Hot: nothing is hot",
    series=(InputSeries(series='temperature{node="n1"}', values="50x10"),),
)
BOTH = replace(
    CASE,
    name="Hot: both are hot",
    series=(
        InputSeries(series='temperature{node="n1"}', values="90x10"),
        InputSeries(series='temperature{node="n2"}', values="90x10"),
    ),
)


def _run(promtool: Promtool, made: Program, folder: Path, pattern: str = "") -> Report:
    for artifact in render(made):
        path = folder / artifact.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(artifact.content)
    return run(promtool, made, folder, (), pattern)


def _said(report: Report) -> list[str]:
    return [_line(diagnostic) for diagnostic in report.diagnostics]


def _line(diagnostic: Diagnostic) -> str:
    span, hint = diagnostic.span, f" ({diagnostic.hint})" if diagnostic.hint else ""
    return f"{Path(span.file).name}:{span.line} {diagnostic.code} {diagnostic.message}{hint}"


def test_what_passes_is_counted(promtool: Promtool, tmp_path: Path) -> None:
    assert _run(promtool, program(ONE, ONE), tmp_path) == Report(files=1, cases=2, assertions=4)


def test_each_promtool_leads_to_the_case_among_those_that_ask_the_same(
    each_promtool: Promtool, tmp_path: Path
) -> None:
    """All three cases ask the same at the same times; the failures of two are told apart."""
    report = _run(each_promtool, program(ONE, COLD, BOTH), tmp_path)
    assert _said(report) == [
        "thermal.yaml:5 test/failed 'Hot: nothing is hot' at 5m: Hot fires for n1: expected "
        '{node="n1"}, got nothing (nothing fires for {node="n1"}; look whether the series have '
        "these labels, meet the condition, and do so for long enough)",
        "thermal.yaml:5 test/failed 'Hot: both are hot' at 5m: Hot fires for n1: expected "
        '{node="n1"}, got {node="n1"}, {node="n2"} (it fires for {node="n2"} too)',
    ]


def test_the_test_itself_is_related(promtool: Promtool, tmp_path: Path) -> None:
    report = _run(promtool, program(ONE, COLD), tmp_path)
    related = report.diagnostics[0].related[0]
    lines = (tmp_path / "tests/alerts-thermal.yaml").read_text(encoding="utf-8").split("\n")
    assert related.message == "the test that promtool ran"
    assert lines[related.span.line - 1].strip() == f"expr: '{FIRING}'"
    assert related.span.line > lines.index("  - # Hot: nothing is hot")


def test_names_of_cases_change_nothing(promtool: Promtool, tmp_path: Path) -> None:
    old = _said(_run(promtool, program(ONE, COLD), tmp_path / "old"))
    if promtool.number < (2, 49):
        pytest.skip("this promtool knows no names")
    assert _said(_run(promtool, program(ONE, COLD, version="2.49"), tmp_path / "new")) == old


def test_a_file_that_promtool_cannot_load_is_one_failure(
    promtool: Promtool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = program(alert=replace(ALERT, expr="sum(("))
    (said,) = _said(_run(promtool, made, Path("generated")))
    assert said.startswith(
        "thermal.yaml:1 test/failed promtool cannot run 'generated/tests/alerts-thermal.yaml': "
    )
    assert "parse error" in said


@pytest.mark.parametrize(
    ("pattern", "files"),
    [("", 1), ("hot", 1), ("ONE OF", 1), ("alerts-th", 1), ("cold", 0)],
)
def test_a_pattern_keeps_files(
    promtool: Promtool, tmp_path: Path, pattern: str, files: int
) -> None:
    assert _run(promtool, program(ONE), tmp_path, pattern).files == files


def test_output_that_was_not_built_is_said(promtool: Promtool, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="is not there: run 'gpuobs build' first"):
        run(promtool, program(), tmp_path, ())


# The project's own tests ---------------------------------------------------------------------------------------------

RULES = """\
groups:
  - name: g
    rules:
      - record: node:temperature:max
        expr: max by (node) (temperature)
      - alert: Hot
        expr: node:temperature:max > 85
        labels: {tier: page}
        annotations: {summary: 'é "{{ $value }}"'}
"""

OWN = """\
rule_files: [rules.yaml]
evaluation_interval: 1m
group_eval_order: [g]
tests:
  - interval: 1m
    input_series: [{series: 'temperature{node="n1"}', values: 90x5}]
    alert_rule_test:
      - {alertname: Hot, eval_time: 2m, exp_alerts: [{exp_labels: {node: n1, tier: page}, exp_annotations: {summary: 'é "90"'}}]}
    promql_expr_test:
      - expr: node:temperature:max
        eval_time: 1m
        exp_samples: [{labels: 'node:temperature:max{node="n1"}', value: 90}]
  - interval: 1m
    input_series: [{series: 'temperature{node="n1"}', values: 70x5}]
    alert_rule_test:
      - alertname: Hot
        eval_time: 120s
        exp_alerts:
          - exp_labels: {node: n1, tier: page}
            exp_annotations: {summary: 'é "90"'}
    promql_expr_test:
      - expr: node:temperature:max
        eval_time: 1m
        exp_samples:
          - {labels: 'node:temperature:max{node="n1"}', value: 90}
      - expr: |
          label_replace(node:temperature:max, "node", "é\\n", "", "")
            + on () group_left () nothing
        eval_time: 1m
        exp_samples:
          - {labels: '{}', value: 1.5}
      - expr: 'sum by (node) ('
        eval_time: 1m
"""


def _run_own(promtool: Promtool, folder: Path, text: str, pattern: str = "") -> Report:
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    (folder / "own.yaml").write_text(text, encoding="utf-8")
    return run(promtool, None, folder, (folder / "own.yaml",), pattern)


def test_each_promtool_leads_to_the_line_of_our_own_tests(
    each_promtool: Promtool, tmp_path: Path
) -> None:
    report = _run_own(each_promtool, tmp_path, OWN)
    assert (report.files, report.cases, report.assertions) == (1, 2, 6)
    *said, unparsable = _said(report)
    assert said == [
        "own.yaml:16 test/failed 'own' at 2m: expected "
        '{alertname="Hot", node="n1", tier="page"} with annotations {summary="é \\"90\\""}, got nothing',
        "own.yaml:22 test/failed 'own' at 1m: expected "
        '{__name__="node:temperature:max", node="n1"} 90, got {__name__="node:temperature:max", node="n1"} 70 '
        '(the value for {__name__="node:temperature:max", node="n1"} differs)',
        "own.yaml:26 test/failed 'own' at 1m: expected {} 1.5, got nothing "
        "(nothing gives {}; look whether the series have these labels, meet the condition, and do so for long enough)",
    ]
    assert unparsable.startswith(
        "own.yaml:32 test/failed 'own' at 1m: 'sum by (node) (' cannot be evaluated: "
    )


def test_yaml_that_only_promtool_reads_still_fails(promtool: Promtool, tmp_path: Path) -> None:
    text = OWN.replace("rule_files: [rules.yaml]", "rule_files: &files [rules.yaml]")
    said = _said(_run_own(promtool, tmp_path, text))
    lines = [line.partition(" ")[0] for line in said]
    assert lines == ["own.yaml:8", "own.yaml:10", "own.yaml:27", "own.yaml:32"]


def test_an_own_file_that_promtool_cannot_read(promtool: Promtool, tmp_path: Path) -> None:
    (said,) = _said(_run_own(promtool, tmp_path, "rule_files: [rules.yaml]\ntest: []\n"))
    assert said.startswith("own.yaml:2 test/failed promtool cannot run ")
    assert said.endswith("field test not found in type main.unitTestFile")


@pytest.mark.parametrize(("pattern", "files"), [("own", 1), ("HOT", 1), ("cold", 0)])
def test_a_pattern_keeps_our_own_files(
    promtool: Promtool, tmp_path: Path, pattern: str, files: int
) -> None:
    assert _run_own(promtool, tmp_path, OWN, pattern).files == files
