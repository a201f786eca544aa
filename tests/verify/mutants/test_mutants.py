"""Weak tests let mutants live, good ones kill them; many at once die as each of them does alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuobs.verify import running
from gpuobs.verify.mutants import Verdict, batches
from gpuobs.verify.promtool import Promtool
from tests.verify.mutants.suites import report, suite, told

HOT = """\
groups:
  - name: g
    rules:
      - alert: Hot
        expr: max by (node) (temperature) > 80
        for: 5m
"""
WEAK = """\
  - interval: 1m
    input_series: [{series: 'temperature{node="n1", gpu="0"}', values: 95x20}]
    alert_rule_test:
      - {alertname: Hot, eval_time: 15m, exp_alerts: [{exp_labels: {node: n1}}]}
"""


def test_a_weak_test_lets_live_what_it_does_not_ask(promtool: Promtool, tmp_path: Path) -> None:
    assert told(report(suite(tmp_path, HOT, WEAK, promtool), promtool)) == {
        "killed": ["Hot: '>' becomes '<'", "Hot: 'node' of 'by' is dropped"],
        "survived": [
            "Hot: '>' becomes '>='",
            "Hot: '80' becomes '79.2'",
            "Hot: '80' becomes '80.8'",
            "Hot: 'max' becomes 'min'",
            "Hot: 'max' becomes 'avg'",
            "Hot: 'for: 5m' becomes '10m'",
            "Hot: 'for: 5m' becomes '4m'",
            "Hot: 'for: 5m' is removed",
        ],
    }


GOOD = """\
  - interval: 1m
    input_series:
      - {series: 'temperature{node="n1", gpu="0"}', values: 80.5x20}
      - {series: 'temperature{node="n1", gpu="1"}', values: 60x20}
      - {series: 'temperature{node="n2", gpu="0"}', values: 80x20}
      - {series: 'temperature{node="n3", gpu="0"}', values: 79.5x20}
    alert_rule_test:
      - {alertname: Hot, eval_time: 4m, exp_alerts: []}
      - {alertname: Hot, eval_time: 5m, exp_alerts: [{exp_labels: {node: n1}}]}
"""


def test_a_good_one_lets_none_live(promtool: Promtool, tmp_path: Path) -> None:
    done = report(suite(tmp_path, HOT, GOOD, promtool), promtool)
    assert (done.score, done.having("survived")) == (100, [])


CHAIN = """\
groups:
  - name: chain
    rules:
      - record: node:temperature:max
        expr: max by (node, gpu) (temperature{job="a"} offset 1m)
      - record: node:limit
        expr: limit{kind="soft"}
      - record: node:over
        expr: node:temperature:max - on (node) group_left () node:limit
      - alert: Over
        expr: node:over > 5 or node:over == 0
        for: 1m
        labels: {tier: page}
        annotations: {summary: '{{ $labels.node }} is {{ $value }} over'}
      - alert: Many
        expr: count(ALERTS{alertname="Over", alertstate="firing"}) >= 2
      - record: any
        expr: count({__name__=~"node:.+"})
"""
OF_CHAIN = """\
  - interval: 1m
    input_series:
      - {series: 'temperature{node="n1", gpu="0", job="a"}', values: 90x20}
      - {series: 'temperature{node="n1", gpu="1", job="a"}', values: 80x20}
      - {series: 'temperature{node="n2", gpu="0", job="b"}', values: 95x20}
      - {series: 'limit{node="n1", kind="soft"}', values: 80x20}
      - {series: 'limit{node="n1", kind="hard"}', values: 85x20}
      - {series: 'limit{node="n2", kind="soft"}', values: 70x20}
    alert_rule_test:
      - alertname: Over
        eval_time: 4m
        exp_alerts:
          - {exp_labels: {node: n1, gpu: "0", tier: page}, exp_annotations: {summary: n1 is 10 over}}
          - {exp_labels: {node: n1, gpu: "1", tier: page}, exp_annotations: {summary: n1 is 0 over}}
      - {alertname: Over, eval_time: 1m, exp_alerts: []}
      - {alertname: Many, eval_time: 5m, exp_alerts: [{exp_labels: {}}]}
    promql_expr_test:
      - expr: node:over
        eval_time: 3m
        exp_samples:
          - {labels: 'node:over{node="n1", gpu="0"}', value: 10}
          - {labels: 'node:over{node="n1", gpu="1"}', value: 0}
  - interval: 1m
    input_series:
      - {series: 'temperature{node="n1", gpu="0", job="a"}', values: 90x20}
    promql_expr_test:
      - {expr: any, eval_time: 3m, exp_samples: [{labels: any, value: 1}]}
"""


def test_each_promtool_kills_many_at_once_as_it_kills_one_alone(
    each_promtool: Promtool, tmp_path: Path
) -> None:
    """Among them are mutants that break the evaluation, and rules that read any name."""
    read = suite(tmp_path, CHAIN, OF_CHAIN, each_promtool)
    done = report(read, each_promtool)
    assert done.broken == ()
    assert any("it cannot be evaluated: " in verdict.why for verdict in done.verdicts)
    with running.scratch() as scratch:
        wrong = [
            verdict.mutant.said
            for number, verdict in enumerate(done.verdicts)
            if (verdict.state == "killed")
            != _dies_alone(verdict, read.cases, each_promtool, Path(scratch, str(number)))
        ]
    assert wrong == []


def _dies_alone(verdict: Verdict, cases: tuple, promtool: Promtool, folder: Path) -> bool:  # type: ignore[type-arg]
    return any(
        batches.run_alone(case, verdict.mutant, promtool, folder) is not None
        for case in cases
        if id(verdict.mutant.rule) in case.ids
    )


def test_what_a_test_finds_is_said_with_its_moment(promtool: Promtool, tmp_path: Path) -> None:
    done = report(suite(tmp_path, HOT, WEAK, promtool), promtool)
    assert [verdict.why for verdict in done.having("killed")] == ["'case 1' at 15m"] * 2


def test_a_rule_that_no_test_reads_is_told_apart(promtool: Promtool, tmp_path: Path) -> None:
    rules = HOT + "      - {record: unused, expr: sum(power)}\n"
    found = told(report(suite(tmp_path, rules, GOOD, promtool), promtool))
    assert found["untested"] == ["unused: 'sum' becomes 'avg'", "unused: 'sum' becomes 'count'"]


def test_a_case_that_fails_by_itself_kills_nothing(promtool: Promtool, tmp_path: Path) -> None:
    done = report(suite(tmp_path, HOT, WEAK.replace("95x20", "70x20"), promtool), promtool)
    assert [(case.name, why) for case, why in done.broken] == [("case 1", "it fails at 15m: Hot")]
    assert done.score == 0


@pytest.mark.parametrize("listed", ["rules.yaml", "gone.yaml"])
def test_tests_find_the_rules_that_are_named(
    promtool: Promtool, tmp_path: Path, listed: str
) -> None:
    """Also where the paths in a test file lead nowhere, as in a copy of it."""
    read = suite(tmp_path, HOT, GOOD, promtool)
    tests = tmp_path / "tests.yaml"
    tests.write_text(tests.read_text("utf-8").replace("rules.yaml", listed), "utf-8")
    assert [len(case.rules) for case in read.cases] == [1]
