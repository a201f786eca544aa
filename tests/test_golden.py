"""What a user sees for every mistake that people make: the whole text, kept in tests/golden/<mistake>/.

`make golden` writes the files anew; a reviewer then reads the difference.
"""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from gpuobs import checks, reporters
from gpuobs.cli.common import read_line
from gpuobs.pipeline import compile_project
from tests.projects import project

GOLDEN = Path(__file__).parent / "golden"
TODAY = date(2026, 12, 1)
CASES = sorted(path.name for path in GOLDEN.iterdir())


@pytest.mark.parametrize("name", CASES)
def test_mistake(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, update_golden: bool
) -> None:
    project(tmp_path, (GOLDEN / name / "input.yaml").read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    done = compile_project(Path("specs"), today=TODAY)
    read_line.__globals__["_lines"].cache_clear()
    seen = reporters.render("text", done.diagnostics, read_line) + "\n"
    expected = GOLDEN / name / "expected.txt"
    if update_golden:
        expected.write_text(seen, encoding="utf-8")
    assert seen == expected.read_text(encoding="utf-8")
    assert done.diagnostics


@pytest.mark.parametrize("name", CASES)
def test_a_mistake_makes_no_artifact(name: str, tmp_path: Path) -> None:
    done = compile_project(
        project(tmp_path, (GOLDEN / name / "input.yaml").read_text("utf-8")), today=TODAY
    )
    errors = [finding for finding in done.diagnostics if finding.severity == "error"]
    assert (done.artifacts == ()) == bool(errors)


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 70


# What no text in a specs folder or a rule file brings about alone, or what is too long to be read as a golden text.
UNSEEN = frozenset(
    {
        "jsonnet/error",
        "jsonnet/limit",
        "output/drift",
        "output/edited-by-hand",
        "output/foreign-file",
        "rollup/no-source",
        "rule/group-cut",
        "spec/missing-document",
        "target/object-too-large",
        "test/branch-uncovered",
        "test/failed",
        "test/survivor",
        "test/uncovered",
        "yaml/encoding",
        "yaml/outside",
        "yaml/too-deep",
    }
)


def test_every_check_has_a_golden_text() -> None:
    texts = [
        path.read_text("utf-8") for path in Path(__file__).parent.rglob("golden/*/expected.txt")
    ]
    told = re.compile(r" (?:error|warning) ([a-z]+/[a-z-]+): ")
    seen = {code for text in texts for code in told.findall(text)}
    assert set(checks.codes()) - seen == UNSEEN
