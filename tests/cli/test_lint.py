"""gpuobs lint on rule files of others: which fleet, which exit code, what is said where."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.cli.test_commands import BASE, edit, run

CLEAN = """\
groups:
  - name: gpu
    rules:
      - {alert: GpuHot, expr: DCGM_FI_DEV_GPU_TEMP > 85, for: 5m}
"""
SLOW = CLEAN.replace("for: 5m", "for: 5 m")
BUILT_IN = "checked against the built-in fleet: H100 with dcgm-exporter's default fields\n"
PROJECT = "checked against the project's fleet 'small'\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The smallest project that compiles, with two rule files of others beside it."""
    shutil.copytree(BASE, tmp_path / "specs")
    (tmp_path / "clean.yaml").write_text(CLEAN)
    (tmp_path / "slow.yaml").write_text(SLOW)
    return tmp_path


def test_a_file_is_checked_against_the_fleet_of_the_project(project: Path) -> None:
    assert run(project, "lint", "clean.yaml") == (0, "", f"{PROJECT}no findings\n")


def test_without_a_project_a_built_in_fleet_is_assumed(project: Path) -> None:
    shutil.rmtree(project / "specs")
    assert run(project, "lint", "clean.yaml") == (0, "", f"{BUILT_IN}no findings\n")
    assert run(project, "lint", "clean.yaml", "--quiet") == (0, "", "")


def test_a_project_with_mistakes_has_no_fleet(project: Path) -> None:
    edit(project, "specs/tiers.yaml", "severity: info", "severty: info")
    said = "the specs have mistakes, so their fleet is not known\n"
    assert run(project, "lint", "clean.yaml") == (0, "", f"{said}{BUILT_IN}no findings\n")


def test_another_fleet_can_be_named(project: Path) -> None:
    shutil.copy(project / "specs" / "fleet.yaml", project / "other.yaml")
    edit(project, "other.yaml", "scrapeInterval", 'prometheusVersion: "3.0"\nscrapeInterval')
    edit(project, "clean.yaml", "rules:", "query_offset: 1m\n    rules:")
    assert run(project, "lint", "clean.yaml")[0] == 1
    code, _, err = run(project, "lint", "clean.yaml", "--fleet", "other.yaml")
    assert (code, err) == (0, "checked against fleet 'small' of other.yaml\nno findings\n")


def test_mistakes_of_the_named_fleet_are_reported_instead(project: Path) -> None:
    (project / "other.yaml").write_text("apiVersion: gpuobs/v1\nkind: Fleet\nname: x\n")
    code, _, err = run(project, "lint", "slow.yaml", "--fleet", "other.yaml")
    assert code == 1
    assert "other.yaml:1:1: error yaml/missing-key" in err
    assert "slow.yaml" not in err


def test_a_named_fleet_that_is_none_is_wrong_usage(project: Path) -> None:
    code, out, err = run(project, "lint", "slow.yaml", "--fleet", "specs/tiers.yaml")
    assert (code, out, err) == (2, "", "gpuobs: 'specs/tiers.yaml' is no Fleet document\n")


def test_specs_and_other_files_in_one_run(project: Path) -> None:
    edit(project, "specs/fleet.yaml", "gpu: H100-SXM5-80GB", "gpu: H100-SXM5-80GBB")
    code, _, err = run(project, "lint", "specs/fleet.yaml", "slow.yaml")
    assert code == 1
    assert "specs/fleet.yaml:17:" in err
    assert "slow.yaml:4:63: error rule/duration-invalid" in err
    code, _, err = run(project, "lint", "specs/tiers.yaml", "slow.yaml")
    assert "specs/fleet.yaml" not in err


def test_rules_read_what_the_project_records(project: Path) -> None:
    edit(project, "clean.yaml", "DCGM_FI_DEV_GPU_TEMP", "gpu:temperature:max5m")
    assert run(project, "lint", "clean.yaml") == (0, "", f"{PROJECT}no findings\n")
    annotated = "for: 5m, annotations: {summary: 'GPU {{ $labels.nod }}'}"
    edit(project, "clean.yaml", "for: 5m", annotated)
    code, _, err = run(project, "lint", "clean.yaml")
    assert code == 1
    assert "error alert/template-label: the series of this alert have no label 'nod'" in err


def test_other_formats_have_findings_on_standard_output_and_nothing_else(project: Path) -> None:
    code, out, err = run(project, "lint", "slow.yaml", "clean.yaml", "--format", "json")
    assert (code, err) == (1, "")
    (finding,) = json.loads(out)["diagnostics"]
    assert (finding["file"], finding["code"]) == ("slow.yaml", "rule/duration-invalid")


def test_a_file_that_nobody_knows_is_said_and_the_others_are_checked(project: Path) -> None:
    (project / "other.yaml").write_text("steps: {receiver: a}\n")
    code, out, err = run(project, "lint", "other.yaml", "slow.yaml")
    assert (code, out) == (2, "")
    assert "slow.yaml:4:63: error rule/duration-invalid" in err
    assert err.endswith(
        "gpuobs: 'other.yaml' is neither a rule file of Prometheus, Mimir or Thanos, nor a PrometheusRule, "
        "nor a test file of promtool's, nor a configuration of Prometheus or Alertmanager\n"
    )
    assert run(project, "lint", "other.yaml", "--format", "json")[0] == 2


def test_a_file_that_is_not_there_keeps_no_other_from_being_checked(project: Path) -> None:
    code, out, err = run(project, "lint", "slow.yaml", "nope.yaml", "specs/nope.yaml")
    assert (code, out) == (2, "")
    assert "slow.yaml:4:63: error rule/duration-invalid" in err
    assert err.endswith(
        "gpuobs: there is no file 'nope.yaml'\ngpuobs: there is no file 'specs/nope.yaml'\n"
    )
    assert run(project, "lint", "nope.yaml") == (2, "", "gpuobs: there is no file 'nope.yaml'\n")


def test_what_is_no_file_is_said(project: Path) -> None:
    (project / "folder").mkdir()
    (project / "loop").symlink_to("loop")
    os.mkfifo(project / "pipe")
    (project / "binary").write_bytes(b"\x00\xff" * 100)
    code, out, err = run(project, "lint", "folder", "loop", "pipe")
    assert (code, out) == (2, "")
    assert [line for line in err.splitlines() if line.startswith("gpuobs: ")] == [
        "gpuobs: cannot read 'folder': it is no regular file",
        "gpuobs: cannot read 'loop': Too many levels of symbolic links",
        "gpuobs: cannot read 'pipe': it is no regular file",
    ]
    code, _, err = run(project, "lint", "binary")
    assert code == 1
    assert "binary:1:2: error yaml/encoding: byte 0xff is not UTF-8" in err


def test_every_answer_is_computed_anew(project: Path) -> None:
    assert run(project, "lint", "clean.yaml")[0] == 0
    (project / "clean.yaml").write_text(SLOW)
    assert run(project, "lint", "clean.yaml")[0] == 1


# Baselines -----------------------------------------------------------------------------------------------------------


def test_a_baseline_leaves_what_is_new(project: Path) -> None:
    written = run(project, "lint", "slow.yaml", "--baseline", "known.json", "--write-baseline")
    assert written == (0, "", f"{PROJECT}known.json: 1 finding written\n")
    assert (project / "known.json").read_text() == (
        "{\n"
        '  "findings": [\n'
        '    {"file": "slow.yaml", "code": "rule/duration-invalid", "rule": "GpuHot", '
        '"message": "\'5 m\' is not a Prometheus duration", "count": 1}\n'
        "  ]\n"
        "}\n"
    )
    known = ("lint", "slow.yaml", "--baseline", "known.json")
    assert run(project, *known) == (0, "", f"{PROJECT}no findings\n")
    (project / "slow.yaml").write_text("# moved\n\n" + SLOW)
    assert run(project, *known) == (0, "", f"{PROJECT}no findings\n")
    second = "      - {alert: GpuHot, expr: DCGM_FI_DEV_GPU_TEMP > 90, for: 5 m}\n"
    (project / "slow.yaml").write_text(SLOW + second)
    code, _, err = run(project, *known)
    assert code == 1
    assert "slow.yaml:5:63: error rule/duration-invalid" in err
    assert "slow.yaml:4:63" not in err


def test_what_a_baseline_has_too_many_is_said(project: Path) -> None:
    files = ("lint", "slow.yaml", "clean.yaml", "--baseline", "known.json")
    run(project, *files, "--write-baseline")
    (project / "slow.yaml").write_text(CLEAN)
    gone = "1 finding of the baseline is gone: --write-baseline takes it out of 'known.json'\n"
    assert run(project, *files) == (0, "", f"{PROJECT}{gone}no findings\n")
    assert run(project, "lint", "clean.yaml", "--baseline", "known.json")[2] == (
        f"{PROJECT}no findings\n"
    )
    run(project, *files, "--write-baseline")
    assert (project / "known.json").read_text() == '{\n  "findings": []\n}\n'


def test_a_baseline_of_some_files_keeps_what_it_has_of_others(project: Path) -> None:
    (project / "slower.yaml").write_text(SLOW)
    baseline = ("--baseline", "known.json", "--write-baseline")
    run(project, "lint", "slow.yaml", *baseline)
    run(project, "lint", "slower.yaml", *baseline)
    known = json.loads((project / "known.json").read_text())["findings"]
    assert [entry["file"] for entry in known] == ["slow.yaml", "slower.yaml"]


def test_a_baseline_of_the_specs(project: Path) -> None:
    edit(project, "specs/fleet.yaml", "gpu: H100-SXM5-80GB", "gpu: H100-SXM5-80GBB")
    assert run(project, "lint", "--baseline", "known.json", "--write-baseline")[0] == 0
    assert run(project, "lint", "--baseline", "known.json") == (0, "", "no findings\n")
    (entry,) = json.loads((project / "known.json").read_text())["findings"]
    assert (entry["file"], entry["rule"]) == ("specs/fleet.yaml", "h100")
    assert run(project, "lint")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--baseline", "none.json"],
            "there is no baseline 'none.json': --write-baseline writes it",
        ),
        (["--baseline", "clean.yaml"], "'clean.yaml' is no baseline of gpuobs"),
        (["--baseline", "specs"], "cannot read 'specs': it is no regular file"),
        (["--fleet", "specs/fleet.yaml"], "--fleet is for rule files: name one"),
        (["--write-baseline"], "--write-baseline needs --baseline FILE"),
    ],
)
def test_wrong_usage(project: Path, arguments: list[str], words: str) -> None:
    code, out, err = run(project, "lint", *arguments)
    assert (code, out) == (2, "")
    assert words in err


@pytest.mark.parametrize("count", ["1e999", "NaN", "0", "-4", '"x"', "null", "9" * 5000])
@pytest.mark.parametrize("writes", [(), ("--write-baseline",)])
def test_a_baseline_with_a_count_that_is_none(
    project: Path, count: str, writes: tuple[str, ...]
) -> None:
    entry = f'{{"file": "a", "code": "b", "rule": "c", "message": "d", "count": {count}}}'
    (project / "known.json").write_text(f'{{"findings": [{entry}]}}', encoding="utf-8")
    code, out, err = run(project, "lint", "clean.yaml", "--baseline", "known.json", *writes)
    assert (code, out) == (2, "")
    assert "'known.json' is no baseline of gpuobs" in err


@pytest.mark.parametrize(
    "text", ['{"findings": [{"file": "\\ud800", "code": "", "rule": "", "message": "", "count": 1}]}', "[" * 200_000]
)  # fmt: skip
def test_a_baseline_that_cannot_be_written_again_is_none(project: Path, text: str) -> None:
    (project / "known.json").write_text(text, encoding="utf-8")
    asked = ("lint", "clean.yaml", "--baseline", "known.json", "--write-baseline")
    assert run(project, *asked)[0] == 2


def test_a_baseline_whose_name_no_file_can_have(project: Path) -> None:
    assert run(project, "lint", "clean.yaml", "--baseline", "a" * 5000, "--write-baseline")[0] == 2
