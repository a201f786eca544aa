"""The example in docs/lint.md is what a user sees."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuobs import foreign, reporters
from gpuobs.cli.common import read_line
from gpuobs.foreign import world

PAGE = Path(__file__).parent.parent.parent / "docs" / "lint.md"


def examples() -> list[tuple[str, str, str]]:
    """Each example's file, its text, and what is printed."""
    page = PAGE.read_text(encoding="utf-8")
    found = re.findall(r"```yaml\n(# (\S+)\n.*?)```.*?```text\n(.*?)```", page, re.DOTALL)
    return [(name, text, printed) for text, name, printed in found]


@pytest.mark.parametrize(("name", "text", "printed"), examples())
def test_example(
    name: str, text: str, printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path(name)
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    built_in = world.built_in()
    found = foreign.lint([file], built_in).diagnostics
    read_line.__globals__["_lines"].cache_clear()
    seen = reporters.render("text", found, read_line)
    assert f"{seen}\nchecked against {built_in.fleet}\n" == printed


def test_there_are_examples() -> None:
    assert [name for name, _, _ in examples()] == ["rules/gpu.yaml", "prometheus.yml"]
