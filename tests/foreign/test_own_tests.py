"""The project's own tests are looked at with the rules of its specs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from gpuobs import cli
from gpuobs.foreign import own_tests
from gpuobs.pipeline import check_project
from tests.projects import BASE

ROOT = Path(__file__).parent.parent.parent
TEST = """\
rule_files: [../generated/prometheus/rules/NAME.yaml]
tests:
  - interval: 1m
    alert_rule_test:
      # gpuobs: ignore test/unknown-alert -- it comes with the next release
      - {eval_time: 1m, alertname: NotYet, exp_alerts: []}
      - {eval_time: 1m, alertname: Nobody, exp_alerts: []}
"""


def project(folder: Path, name: str) -> Path:
    shutil.copytree(BASE, folder / "specs")
    (folder / "generated").mkdir()
    (folder / "rules_tests").mkdir()
    file = folder / "rules_tests" / "a.yaml"
    file.write_text(TEST.replace("NAME", name), encoding="utf-8")
    return file


def test_those_of_this_repository_have_no_mistakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    program = check_project(Path("specs")).program
    assert program is not None
    files = [*Path("rules_tests").glob("*.yaml"), *Path("generated").rglob("tests/*.yaml")]
    assert len(files) > 5
    assert own_tests.findings(program, Path("generated"), files) == []


@pytest.mark.parametrize(
    ("name", "code"),
    [("rollups-base", "test/unknown-alert"), ("rollups-bases", "test/missing-rule-file")],
)
def test_gpuobs_test_says_what_is_wrong_with_them(
    name: str,
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project(tmp_path, name)
    monkeypatch.chdir(tmp_path)
    assert cli.run(["build", "-q"]) == 0
    assert cli.run(["test"]) == 1
    said = capsys.readouterr().err
    assert re.findall(r" error (\S+):", said) == [code]


def test_what_is_said_of_them_can_be_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project(tmp_path, "rollups-base")
    (tmp_path / "specs" / "checks.yaml").write_text(
        "apiVersion: gpuobs/v1\nkind: Checks\nname: default\nchecks:\n"
        "  - {code: test/unknown-alert, severity: warning, reason: alerts come with the next release}\n"
    )
    monkeypatch.chdir(tmp_path)
    assert cli.run(["build", "-q"]) == 0
    assert cli.run(["test"]) == 0
    assert re.findall(r" (warning test\S+):", capsys.readouterr().err) == [
        "warning test/unknown-alert"
    ]
