"""The command line as a process: streams, exit codes and what each command prints."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpuobs import __version__, reporters
from gpuobs.cli import common
from gpuobs.cli.commands import COMMANDS

ROOT = Path(__file__).parent.parent.parent
BASE = ROOT / "tests" / "base"
SUPPRESSED = "# gpuobs: ignore alert/no-runbook -- nothing to see\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The smallest project that compiles."""
    shutil.copytree(BASE, tmp_path / "specs")
    return tmp_path


def run(project: Path, *arguments: str, **environment: str) -> tuple[int, str, str]:
    """A command's exit code, standard output and standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "gpuobs", *arguments],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def edit(project: Path, file: str, old: str, new: str) -> None:
    path = project / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_build_writes_and_says_in_one_line_what_changed(project: Path) -> None:
    code, out, err = run(project, "build")
    assert (code, out) == (0, "")
    files = [path for path in (project / "generated").rglob("*") if path.is_file()]
    assert err == f"generated: {len(files) - 1} written\n"
    assert run(project, "build", "--no-cache") == (
        0,
        "",
        f"generated: {len(files) - 1} unchanged\n",
    )


def test_build_with_a_mistake_writes_nothing(project: Path) -> None:
    edit(project, "specs/fleet.yaml", "scrapeInterval: 15s", "scrapeIntervall: 15s")
    code, out, err = run(project, "build")
    assert (code, out) == (1, "")
    assert err.splitlines()[0].startswith("specs/fleet.yaml:4:1: error yaml/unknown-key: ")
    assert err.splitlines()[-1].startswith("1 error")
    assert not (project / "generated").exists()


def test_check_is_clean_after_a_build_and_shows_drift_as_a_diff(project: Path) -> None:
    run(project, "build")
    current = (0, "", "generated is what the specs say\n")
    assert run(project, "build", "--check") == current
    edit(project, "specs/rollups.yaml", "gpu: {max: [5m]}", "gpu: {max: [10m]}")
    before = {path: path.read_bytes() for path in project.rglob("*.yaml")}
    code, out, err = run(project, "build", "--check")
    assert code == 1
    assert "--- a/generated/prometheus/rules/rollups-base.yaml" in out.splitlines()
    assert any(line.startswith("+") and "max10m" in line for line in out.splitlines())
    assert err.endswith("not what the specs say: run 'gpuobs build' and commit the result\n")
    assert {path: path.read_bytes() for path in project.rglob("*.yaml")} == before


def test_drift_in_another_format_is_findings_and_nothing_else(project: Path) -> None:
    code, out, _ = run(project, "build", "--check", "--format", "json")
    found = json.loads(out)["diagnostics"]
    assert code == 1
    assert {entry["code"] for entry in found} == {"output/drift"}
    assert "'generated/prometheus/rules/inventory.yaml' is missing" in {d["message"] for d in found}


def test_an_edited_file_stops_a_build_until_forced(project: Path) -> None:
    run(project, "build")
    edited = project / "generated" / "prometheus" / "rules" / "inventory.yaml"
    original = edited.read_text()
    edited.write_text("mine")
    code, out, err = run(project, "build")
    assert (code, out) == (1, "")
    assert "error output/edited-by-hand" in err
    assert edited.read_text() == "mine"
    assert run(project, "build", "--force")[0] == 0
    assert edited.read_text() == original


def test_check_tells_an_edit_from_drift(project: Path) -> None:
    run(project, "build")
    (project / "generated" / "prometheus" / "rules" / "inventory.yaml").write_text("mine")
    code, _, err = run(project, "build", "--check")
    assert code == 1
    assert "error output/edited-by-hand: 'generated/prometheus/rules/inventory.yaml' was" in err


def test_an_excerpt_comes_from_a_regular_file_of_a_sane_size_only(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "link").symlink_to("secret")
    (tmp_path / "endless").symlink_to("/dev/zero")
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(1 << 30)
    places = ["secret", "link", "endless", "huge", "none", "nul\0"]
    lines = [common.read_line(str(tmp_path / place), 1) for place in places]
    assert lines == ["secret", "", "", "", "", ""]


def test_the_name_of_a_file_that_is_no_text_is_escaped(project: Path) -> None:
    name = os.fsdecode(os.fsencode(project / "specs") + b"/b\xff.yaml")
    Path(name).write_text("kind: Nothing\n", encoding="utf-8")
    for format_ in reporters.FORMATS:
        code, out, err = run(project, "lint", "--format", format_)
        assert code == 1
        assert "b\\udcff.yaml" in (out + err).replace("\\\\", "\\").replace("%5C", "\\")


def test_a_target_is_built_alone_and_the_others_stay(project: Path) -> None:
    run(project, "build")
    edit(project, "specs/rollups.yaml", "gpu: {max: [5m]}", "gpu: {max: [10m]}")
    operator = project / "generated" / "prometheus-operator" / "small-rollups-base.yaml"
    before = operator.read_bytes()
    assert run(project, "build", "--target", "prometheus/rules")[0] == 0
    assert operator.read_bytes() == before
    assert run(project, "build", "--check", "--target", "prometheus/rules")[0] == 0
    assert run(project, "build", "--check")[0] == 1
    assert run(project, "build")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["build", "--target", "prometheus/rule"], "did you mean 'prometheus/rules'?"),
        (["build", "--out", "specs/generated"], "overlap"),
        (["build", "--out", "."], "overlap"),
        (["build", "--check", "--force"], "nothing to --force"),
        (["build", "--ext-str", "x"], "--ext-str region=eu-west-1"),
        (["build", "--specs", "nowhere"], "there is no folder 'nowhere'"),
        (["lint", "specs/nowhere.yaml"], "there is no file"),
        (["lint", "other.yaml"], "'other.yaml' is neither a rule file"),
        (["lint", "--format", "yaml"], "'yaml' is not one of"),
        (["explain", "alert/no-runbok"], "did you mean 'alert/no-runbook'?"),
        (["schema", "Flet"], "did you mean 'Fleet'?"),
        (["biuld"], "did you mean 'build'?"),
    ],
)
def test_wrong_usage_is_said_on_standard_error_with_exit_code_2(
    project: Path, arguments: list[str], words: str
) -> None:
    (project / "other.yaml").write_text("steps: {receiver: a}\n")
    code, out, err = run(project, *arguments)
    assert (code, out) == (2, "")
    assert words in " ".join(err.split())
    assert not (project / "generated").exists()


def test_lint_without_findings(project: Path) -> None:
    assert run(project, "lint") == (0, "", "no findings\n")
    assert run(project, "lint", "--quiet") == (0, "", "")
    assert not (project / "generated").exists()


def test_lint_of_one_file_shows_only_what_is_found_there(project: Path) -> None:
    edit(project, "specs/tiers.yaml", "severity: info", "severty: info")
    code, out, err = run(project, "lint", "specs/fleet.yaml")
    assert (code, out, err) == (0, "", "no findings\n")
    assert run(project, "lint", "specs/tiers.yaml")[0] == 1


@pytest.mark.parametrize("name", ["json", "sarif", "junit", "github"])
def test_lint_in_another_format_prints_to_standard_output(project: Path, name: str) -> None:
    edit(project, "specs/tiers.yaml", "severity: info", "severty: info")
    code, out, err = run(project, "lint", "--format", name)
    assert (code, err) == (1, "")
    assert "yaml/unknown-key" in out
    if name in ("json", "sarif"):
        json.loads(out)


def test_warnings_fail_only_a_strict_run(project: Path) -> None:
    path = project / "specs" / "tiers.yaml"
    path.write_text(SUPPRESSED + path.read_text())
    code, _, err = run(project, "lint")
    assert code == 0
    assert "warning suppression/unused" in err
    assert run(project, "lint", "--strict")[0] == 1
    assert run(project, "build", "--strict")[0] == 1
    assert run(project, "build")[0] == 0


def test_color_only_where_it_is_asked_for(project: Path) -> None:
    edit(project, "specs/tiers.yaml", "severity: info", "severty: info")
    assert "\x1b[" not in run(project, "lint")[2]
    assert "\x1b[" in run(project, "lint", "--color")[2]


def test_explain_lists_the_checks_and_prints_a_page(project: Path) -> None:
    code, out, _ = run(project, "explain")
    assert code == 0
    summary = "An alert without the runbook that its tier requires."
    assert [
        line.split(maxsplit=1)[1] for line in out.splitlines() if "alert/no-runbook" in line
    ] == [summary]
    code, out, _ = run(project, "explain", "alert/no-runbook")
    assert out.splitlines()[:3] == ["alert/no-runbook (error)", "", summary]


def test_schema_is_json(project: Path) -> None:
    assert "$schema" in json.loads(run(project, "schema", "Fleet")[1])


def test_the_version_and_the_help_load_no_more_than_click(project: Path) -> None:
    assert run(project, "--version") == (0, f"gpuobs {__version__}\n", "")
    code = (
        "import sys; from gpuobs.cli import run; run([sys.argv[1]]); "
        "slow = {'yaml', 'jsonschema', 'promql_parser', '_jsonnet', 'grafanalib', 'importlib.metadata',"
        " 'subprocess', 'gpuobs.pipeline'}; print(sorted(slow & set(sys.modules)))"
    )
    for option in ("--version", "--help"):
        done = subprocess.run(
            [sys.executable, "-c", code, option],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.splitlines()[-1] == "[]"


def test_every_command_has_the_help_that_the_list_gives(project: Path) -> None:
    from importlib import import_module

    for name, words in COMMANDS.items():
        command = import_module(f"gpuobs.cli.{name}").command
        assert command.name == name
        assert words.endswith(".")


def test_a_reader_that_leaves_early_is_no_bug(project: Path) -> None:
    command = f"{sys.executable} -m gpuobs explain metrics | head -1"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (len(done.stdout.splitlines()), done.stderr) == (1, "")


# A background job of a shell ignores SIGINT, and so do its children.
_LISTENING_TO_SIGINT = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("gpuobs", run_name="__main__")
"""


def test_an_interrupted_run_ends_with_130_and_an_empty_line(project: Path) -> None:
    slow = "local f(n) = if n == 0 then 0 else f(n - 1) + f(n - 1); {a: f(60)}"
    (project / "specs" / "slow.jsonnet").write_text(slow)
    with subprocess.Popen(
        [sys.executable, "-c", _LISTENING_TO_SIGINT, "lint", "--no-cache"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        time.sleep(1.5)  # until it evaluates the file, for which it takes ten seconds
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20)[1] == "\n"
    assert process.returncode == 130


def test_a_bug_of_ours_ends_with_3_and_the_words_to_report_it(project: Path) -> None:
    code = (
        "import sys, gpuobs.files; from gpuobs.cli import run\n"
        "def broken(*a, **k): raise IndexError('a bug')\n"
        "gpuobs.files.read_specs = broken\n"
        "sys.exit(run(['lint']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert "IndexError: a bug" in done.stderr
    assert f"This is a bug in gpuobs {__version__}, not in your specs." in done.stderr
