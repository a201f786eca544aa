"""gpuobs test --coverage and --mutate: what is printed, and when it fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from gpuobs import cli
from tests.projects import project
from tests.verify.mutants.test_mutants import GOOD, HOT, WEAK

TESTS = "rule_files: [rules.yaml]\nevaluation_interval: 1m\ntests:\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.yaml").write_text(HOT)
    (tmp_path / "weak.yaml").write_text(TESTS + WEAK)
    (tmp_path / "good.yaml").write_text(TESTS + GOOD)
    return tmp_path


@dataclass(frozen=True)
class Result:
    exit_code: int
    stdout: str
    stderr: str


Run = Callable[..., Result]


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command in the folder."""

    def run(*arguments: str) -> Result:
        code = cli.run(["test", *arguments])
        return Result(code, *capsys.readouterr())

    return run


def test_the_score_of_rules_and_tests_of_others(run: Run) -> None:
    result = run("--mutate", "rules.yaml", "weak.yaml")
    assert result.exit_code == 0
    assert result.stdout.split("\n")[:-2] == [
        "mutants             killed  survived  untested  equivalent  score",
        "aggregation              0         2         0           0    0.0",
        "comparator               1         1         0           0   50.0",
        "for                      0         3         0           0    0.0",
        "label                    1         0         0           0  100.0",
        "threshold                0         2         0           0    0.0",
        "of alerts                2         8         0           0   20.0",
        "of recording rules       0         0         0           0      -",
        "all                      2         8         0           0   20.0",
        "",
    ]
    assert "10 mutants in " in result.stdout


def test_a_survivor_is_shown_at_its_place_with_what_would_kill_it(run: Run) -> None:
    said = run("--mutate", "rules.yaml", "weak.yaml").stderr
    assert (
        "rules.yaml:5:45: warning test/survivor: the tests pass where in 'Hot' '80' becomes '80.8'\n"
        "     5 |         expr: max by (node) (temperature) > 80\n"
        "       |                                             ^^\n"
        "  hint: a scenario with a value from 80 to 80.8\n"
    ) in said


@pytest.mark.parametrize(("tests", "code"), [("weak.yaml", 1), ("good.yaml", 0)])
def test_below_the_limit_is_a_failure(run: Run, tests: str, code: int) -> None:
    assert run("--mutate", "--fail-under", "95", "rules.yaml", tests).exit_code == code


def test_rules_need_not_be_named(run: Run) -> None:
    assert "10 mutants" in run("--mutate", "good.yaml").stdout


def test_json_holds_every_mutant(run: Run) -> None:
    result = run("--mutate", "--coverage", "--format", "json", "rules.yaml", "weak.yaml")
    data = json.loads(result.stdout)
    assert data["mutants"]["score"] == 20
    assert data["mutants"]["mutants"][0] == {
        "rule": "Hot",
        "operator": "comparator",
        "change": "'>' becomes '>='",
        "file": "rules.yaml",
        "line": 5,
        "state": "survived",
        "why": "",
    }
    assert data["coverage"]["alert"] == {"covered": 1, "of": 1}
    assert data["summary"] == {"errors": 0, "warnings": 8}


def test_junit_fails_where_the_run_does(run: Run) -> None:
    arguments = ("--mutate", "--format", "junit", "rules.yaml", "weak.yaml")
    counts = [
        ET.fromstring(run(*more, *arguments).stdout)[0].get("failures")
        for more in ((), ("--fail-under", "50"))
    ]
    assert counts == ["0", "8"]


def test_tests_that_fail_by_themselves_are_said(run: Run, folder: Path) -> None:
    (folder / "weak.yaml").write_text(TESTS + WEAK.replace("95x20", "70x20"))
    result = run("--mutate", "weak.yaml")
    assert result.exit_code == 1
    assert "test/failed: 'case 1' fails without any mutant: it fails at 15m: Hot" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--fail-under", "5"), "--fail-under needs --coverage or --mutate"),
        (("one", "two"), "one PATTERN at a time; FILES are for --coverage and --mutate"),
        (("--mutate", "rules.yaml", "gone.yaml"), "there is no file 'gone.yaml'"),
        (("--mutate", "one", "two"), "one PATTERN at a time, or FILES: there is no file 'one'"),
        (("--mutate", "rules.yaml"), "none of these files has tests of promtool's"),
    ],
)
def test_what_cannot_be_meant_is_said(run: Run, arguments: tuple[str, ...], said: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr


ALERT = """\
alerts:
  - name: GpuHot
    tier: ticket
    expr: DCGM_FI_DEV_GPU_TEMP > 85 <= 200
    summary: A GPU is hot
    description: It is hot.
    runbook: {impact: None., diagnose: [Look.], fix: [Cool it.]}
    scenarios:
      - name: one is hot
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1", gpu="3"}': 90x40}
        fires: [{at: 30m, labels: {Hostname: n1}}]
"""


def test_a_pattern_keeps_rules_of_the_specs(run: Run, folder: Path) -> None:
    project(folder, ALERT)
    result = run("--coverage", "--mutate", "gpuhot")
    assert result.exit_code == 0
    assert "alerts                              1   1  100.0" in result.stdout
    assert "specs/example.yaml:8:32: warning test/survivor" in result.stderr
    assert run("--mutate", "nothing-like-it").exit_code == 1


def test_tests_that_promtool_would_refuse_are_said(run: Run, folder: Path) -> None:
    (folder / "weak.yaml").write_text("rule_files: [rules.yaml]\ntests:\n- 5\n")
    result = run("--mutate", "rules.yaml", "weak.yaml")
    assert result.exit_code == 1
    assert "weak.yaml:3:3: error yaml/wrong-type: " in result.stderr
