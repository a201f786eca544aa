"""Comments that silence a finding: which, how long, and that nothing else depends on the day."""

from __future__ import annotations

import ast
import shutil
from datetime import date
from pathlib import Path

import pytest

import gpuobs
from gpuobs import cli
from gpuobs.diagnostics import Span, error
from gpuobs.foreign import lint, world
from gpuobs.pipeline import compile_project
from gpuobs.spec.node import Source
from gpuobs.suppressions import apply
from tests.projects import BASE, project

FOUND = [
    error(Span("a.yaml", 2, 1, 2, 5), "rule/name", "a name"),
    error(Span("a.yaml", 2, 1, 2, 5), "rule/cycle", "a cycle"),
]


def reported(comment: str, today: date | None = None) -> list[str]:
    """The codes that are reported of two findings on the line below a comment."""
    source = Source("a.yaml", f"# gpuobs: ignore {comment}\nrules: []\n")
    return sorted(finding.code for finding in apply(FOUND, [source], today))


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("rule/name -- why", ["rule/cycle"]),
        ("rule/name, rule/cycle -- why", []),
        ("rule/name,rule/cycle -- why", []),
        ("rule/name , rule/cycle, a/b -- why", ["suppression/unused"]),
        ("rule/name rule/cycle -- why", ["rule/cycle", "rule/name", "suppression/incomplete"]),
        ("rule/name, -- why", ["rule/cycle", "rule/name", "suppression/incomplete"]),
        ("-- why", ["rule/cycle", "rule/name", "suppression/incomplete"]),
        ("rule/name", ["rule/cycle", "rule/name", "suppression/incomplete"]),
        ("until 2027-03-31 -- why", ["rule/cycle", "rule/name", "suppression/incomplete"]),
        ("rule/name until 20270331 -- why", ["rule/cycle", "rule/name", "suppression/incomplete"]),
    ],
)
def test_codes(comment: str, expected: list[str]) -> None:
    assert reported(comment) == expected


@pytest.mark.parametrize(
    ("today", "expected"),
    [
        (None, ["rule/cycle"]),
        (date(2027, 3, 31), ["rule/cycle"]),
        (date(2027, 4, 1), ["rule/cycle", "rule/name", "suppression/expired"]),
    ],
)
def test_the_last_day_is_the_last_on_which_it_silences(
    today: date | None, expected: list[str]
) -> None:
    assert reported("rule/name until 2027-03-31 -- why", today) == expected


def test_one_that_is_over_and_silenced_nothing_is_unused() -> None:
    late = date(2030, 1, 1)
    assert reported("a/b until 2027-03-31 -- why", late) == [
        "rule/cycle",
        "rule/name",
        "suppression/unused",
    ]


RULE = """\
  - alert: GpuFellOffTheBus{on_line}
    for: 1m
    expr: >-
      DCGM_FI_DEV_XID_ERRORS
      == 79
"""
IGNORE = "# gpuobs: ignore promql/latched-level"


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (f"  {IGNORE} -- why\n{RULE}", []),
        (RULE.replace("{on_line}", f"  {IGNORE} -- why"), []),
        (f"  {IGNORE} until 2027-03-31 -- why\n{RULE}", ["suppression/expired", "error"]),
        (f"{RULE}  {IGNORE} -- why\n\n{RULE}", ["error", "suppression/unused", "error"]),
        (f"  {IGNORE} -- why\n{RULE}{RULE}", ["error"]),
        (f"{RULE.rstrip()}\n  {IGNORE} -- why\n{RULE}", ["error"]),
        (
            RULE.replace("for: 1m", f"for: 1m {IGNORE} -- why"),
            ["suppression/unused", "error"],
        ),
    ],
)
def test_a_comment_on_a_rule_is_about_all_of_it(
    rules: str, expected: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(f"groups:\n- name: g\n  rules:\n{rules.replace('{on_line}', '')}")
    found = lint([file], world.built_in(), date(2027, 4, 1)).diagnostics
    codes = [f.code.replace("promql/latched-level", "error") for f in found]
    assert [code for code in codes if code != "alert/duplicate"] == expected


def test_a_comment_on_an_alert_of_a_spec_is_about_all_of_it(tmp_path: Path) -> None:
    specs = project(
        tmp_path,
        "alerts:\n  # gpuobs: ignore alert/template-label -- the label comes from a relabelling\n"
        "  - name: GpuHot\n    tier: info\n"
        "    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}\n"
        "    summary: GPU of {{ $labels.rack }} is hot\n",
    )
    assert compile_project(specs).diagnostics == ()


def test_artifacts_do_not_depend_on_the_day(tmp_path: Path) -> None:
    shutil.copytree(BASE, tmp_path / "specs")
    (tmp_path / "specs" / "alerts.yaml").write_text(
        "apiVersion: gpuobs/v1\nkind: Alerts\nname: example\nowner: infra\nalerts:\n"
        "  # gpuobs: ignore alert/tests-missing until 2027-03-31 -- tried in the lab\n"
        "  - {name: GpuHot, tier: info, expr: gpu:temperature:max5m > 85, summary: hot}\n"
    )
    days = [date(2027, 3, 31), date(2027, 4, 1)]
    before, after = (compile_project(tmp_path / "specs", today=day) for day in days)
    assert [finding.code for finding in before.diagnostics] == []
    assert [finding.code for finding in after.diagnostics] == [
        "suppression/expired",
        "alert/tests-missing",
    ]
    assert before.artifacts == after.artifacts != ()


def test_only_the_command_line_and_its_cache_read_the_clock() -> None:
    clocks = {"now", "today", "utcnow", "gmtime", "localtime", "time_ns", "monotonic"}
    package = Path(gpuobs.__file__).parent
    readers = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in clocks
    }
    assert readers - {"cli/common.py", "cache.py", "live/client.py"} <= {
        f"cli/{name}.py" for name in ("lint", "build", "test", "measuring")
    }


@pytest.mark.parametrize(
    ("day", "code"), [("2000-01-01", "suppression/expired"), ("9999-12-31", "")]
)
def test_the_command_line_knows_the_day(
    day: str,
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project(
        tmp_path,
        f"rules:\n  # gpuobs: ignore rule/name until {day} -- an old name\n"
        "  - {record: gpu_count, expr: count by (cluster) (gpu:temperature:max5m), unit: gpus}\n",
    )
    monkeypatch.chdir(tmp_path)
    assert cli.run(["lint"]) == int(bool(code))
    assert code in capsys.readouterr().err
