"""What tests ask about: an alert that must fire, each branch alone, each value of a matcher, what is recorded."""

from __future__ import annotations

from pathlib import Path

from gpuobs.verify import coverage, scores
from gpuobs.verify.coverage import Coverage
from gpuobs.verify.promtool import Promtool
from tests.verify.mutants.suites import suite

RULES = """\
groups:
  - name: g
    rules:
      - record: node:temperature:max
        expr: max by (node, kind) (temperature)
      - record: unused
        expr: sum(temperature)
      - alert: Hot
        expr: |-
          node:temperature:max{kind=~"gpu|memory"} > 80
            or node:temperature:max{kind="board"} > 70
            or (lost or gone)
        labels: {tier: page}
      - alert: Cold
        expr: node:temperature:max < 5
        labels: {tier: info}
"""
TESTS = """\
  - interval: 1m
    input_series:
      - {series: 'temperature{node="n1", kind="gpu"}', values: 90x10}
      - {series: 'temperature{node="n1", kind="board"}', values: 60x10}
      - {series: 'gone{node="n2"}', values: 1x10}
    alert_rule_test:
      - {alertname: Hot, eval_time: 5m, exp_alerts: [{exp_labels: {node: n1, kind: gpu, tier: page}}, {exp_labels: {node: n2, tier: page}}]}
      - {alertname: Cold, eval_time: 5m, exp_alerts: []}
"""


def _measured(promtool: Promtool, folder: Path) -> Coverage:
    read = suite(folder, RULES, TESTS, promtool)
    return coverage.measure(
        promtool, read.program, read.cases, lambda rule: id(rule) in read.wanted
    )


def test_what_is_covered_and_what_is_not(each_promtool: Promtool, tmp_path: Path) -> None:
    measured = _measured(each_promtool, tmp_path)
    told = {
        f"{item.kind} {item.text or item.rule.origin.name}": item not in measured.missing
        for item in measured.items
    }
    assert told == {
        "recording rule node:temperature:max": True,
        "recording rule unused": False,
        "alert Hot": True,
        'branch node:temperature:max{kind=~"gpu|memory"} > 80': True,
        'branch node:temperature:max{kind="board"} > 70': False,
        "branch lost": False,
        "branch gone": True,
        'label value kind="gpu"': True,
        'label value kind="memory"': False,
        'label value kind="board"': True,
        "alert Cold": False,
    }


def test_the_table(promtool: Promtool, tmp_path: Path) -> None:
    assert scores.coverage_table(_measured(promtool, tmp_path)).split("\n") == [
        "                       covered  of      %",
        "alerts                       1   2   50.0",
        "branches of 'or'             2   4   50.0",
        "label values                 2   3   66.7",
        "recording rules              1   2   50.0",
        "alerts with tier info        0   1    0.0",
        "alerts with tier page        1   1  100.0",
        "all                          6  11   54.5",
    ]


def test_findings_are_at_what_is_missing(promtool: Promtool, tmp_path: Path) -> None:
    found = scores.uncovered(_measured(promtool, tmp_path), "warning")
    assert [(d.span.line, d.span.column, d.code, d.message) for d in found] == [
        (6, 17, "test/uncovered", "no test depends on what 'unused' records"),
        (
            11,
            16,
            "test/branch-uncovered",
            """no test makes 'Hot' fire by 'node:temperature:max{kind="board"} > 70' alone""",
        ),
        (12, 17, "test/branch-uncovered", "no test makes 'Hot' fire by 'lost' alone"),
        (14, 16, "test/uncovered", "no test expects 'Cold' to fire"),
        (10, 32, "test/uncovered", """no test of 'Hot' has a series with kind="memory\""""),
    ]
