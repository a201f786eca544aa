"""A project's Checks document: what it makes of findings, and what it cannot touch."""

from __future__ import annotations

from pathlib import Path

from gpuobs.diagnostics import Span, error, warning
from gpuobs.explain import page
from gpuobs.pipeline import Compilation, compile_project
from gpuobs.policy import CheckSettings
from gpuobs.settings import apply
from gpuobs.spec.document import read
from gpuobs.spec.model import Checks
from gpuobs.spec.shape import shape
from tests.projects import project

HEADER = "apiVersion: gpuobs/v1\nkind: Checks\nname: default\nchecks:\n"
BADLY_NAMED = """\
rules:
  - {record: gpu_count, expr: count by (cluster) (gpu:temperature:max5m), unit: gpus}
"""
PLACE = Span("specs/a.yaml", 1, 1, 1, 2)


def compiled(folder: Path, text: str, *settings: str) -> Compilation:
    specs = project(folder, text)
    document = HEADER + "".join(f"  - {setting}\n" for setting in settings)
    (specs / "checks.yaml").write_text(document, encoding="utf-8")
    return compile_project(specs)


def seen(done: Compilation) -> list[tuple[str, str]]:
    return [(finding.code, finding.severity) for finding in done.diagnostics]


def of(*settings: str) -> CheckSettings:
    text = HEADER + "".join(f"  - {setting}\n" for setting in settings)
    node, problems = read("specs/checks.yaml", text.encode())
    assert node is not None, problems
    document, problems = shape(node)
    assert isinstance(document, Checks), problems
    return CheckSettings.of(document)


def test_an_error_that_is_a_warning_here_does_not_stop_the_build(tmp_path: Path) -> None:
    setting = "{code: rule/name, severity: warning, reason: our names are older}"
    done = compiled(tmp_path, BADLY_NAMED, setting)
    assert seen(done) == [("rule/name", "warning")]
    assert done.artifacts


def test_a_check_that_is_off_is_silent(tmp_path: Path) -> None:
    setting = "{code: rule/name, enabled: false, reason: our names are older}"
    done = compiled(tmp_path, BADLY_NAMED, setting)
    assert seen(done) == []
    assert done.artifacts


def test_a_parameter_reaches_its_check(tmp_path: Path) -> None:
    setting = "{code: rule/name, parameters: {colons: 0}, reason: ours have none}"
    assert seen(compiled(tmp_path, BADLY_NAMED, setting)) == []


def test_a_warning_that_is_an_error_here_stops_the_build(tmp_path: Path) -> None:
    text = """\
alerts:
  - name: GpuHot
    tier: info
    expr: gpu:temperature:max5m > 85
    summary: GPU {{ $labels.gpu }} is hot
"""
    setting = "{code: alert/tests-missing, severity: error, reason: we test all of them}"
    done = compiled(tmp_path, text, setting)
    assert seen(done) == [("alert/tests-missing", "error")]
    assert done.artifacts == ()


def test_a_suppression_of_a_check_that_is_off_is_unused(tmp_path: Path) -> None:
    text = BADLY_NAMED.replace("rules:\n", "rules:\n  # gpuobs: ignore rule/name -- an old name\n")
    setting = "{code: rule/name, enabled: false, reason: our names are older}"
    assert seen(compiled(tmp_path, text, setting)) == [("suppression/unused", "warning")]


def test_a_project_has_at_most_one_of_them(tmp_path: Path) -> None:
    specs = project(tmp_path, HEADER + "  - {code: rule/name, enabled: false, reason: older}\n")
    other = (specs / "example.yaml").read_text(encoding="utf-8").replace("default", "other")
    (specs / "other.yaml").write_text(other.replace("rule/name", "rule/cycle"), encoding="utf-8")
    (finding,) = compile_project(specs).diagnostics
    assert (finding.code, finding.message) == (
        "spec/duplicate-name",
        "a project has at most one Checks, and this is another",
    )


def test_a_setting_touches_its_own_code_only() -> None:
    name, cycle = error(PLACE, "rule/name", "a name"), error(PLACE, "rule/cycle", "a cycle")
    milder = of("{code: rule/name, severity: warning, reason: older}")
    off = of("{code: rule/cycle, enabled: false, reason: older}")
    assert apply(milder, [name, cycle]) == [warning(PLACE, "rule/name", "a name"), cycle]
    assert apply(off, [name, cycle]) == [name]
    assert apply(CheckSettings(), [name, cycle]) == [name, cycle]


def test_a_page_ends_with_the_parameters() -> None:
    text = page("rule/name") or ""
    line = "Parameter `colons` (default 2): the fewest colons of a recorded name."
    assert text.splitlines()[-1] == line
