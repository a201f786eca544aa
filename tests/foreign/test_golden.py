"""What a user sees for mistakes in rule files of others: the whole text, kept in tests/foreign/golden/<mistake>/.

A folder has the files that are checked, `fleet.yaml` where another fleet than the built-in one is meant, and
`expected.txt`. `pytest --update-golden` writes the latter anew.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gpuobs import foreign, reporters
from gpuobs.cli.common import read_line
from gpuobs.foreign import world

GOLDEN = Path(__file__).parent / "golden"
CASES = sorted(path.name for path in GOLDEN.iterdir())


def seen() -> str:
    """What is said of the files in the current folder."""
    fleet = Path("fleet.yaml")
    chosen = world.built_in()
    if fleet.exists():
        named, problems = world.of_file(fleet)
        assert named is not None, problems
        chosen = named
    files = [path for path in sorted(Path().rglob("*")) if path.is_file() and path != fleet]
    done = foreign.lint(files, chosen)
    read_line.__globals__["_lines"].cache_clear()
    said = [reporters.render("text", done.diagnostics, read_line)] if done.diagnostics else []
    return "\n".join([*said, *done.notes, *done.refused]) + "\n"


@pytest.mark.parametrize("name", CASES)
def test_mistake(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, update_golden: bool
) -> None:
    ignored = shutil.ignore_patterns("expected.txt")
    shutil.copytree(GOLDEN / name, tmp_path / "files", ignore=ignored)
    monkeypatch.chdir(tmp_path / "files")
    found = seen()
    expected = GOLDEN / name / "expected.txt"
    if update_golden:
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")
