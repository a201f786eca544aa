"""The example in docs/lint.md is what a user sees."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuobs import foreign, reporters
from gpuobs.cli.common import read_line
from gpuobs.foreign import world

PAGE = Path(__file__).parent.parent.parent / "docs" / "lint.md"


def test_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = PAGE.read_text(encoding="utf-8")
    rules, text = (re.search(rf"```{kind}\n(.*?)```", page, re.DOTALL) for kind in ("yaml", "text"))
    assert rules is not None
    assert text is not None
    monkeypatch.chdir(tmp_path)
    file = Path("rules/gpu.yaml")
    file.parent.mkdir()
    file.write_text(rules[1], encoding="utf-8")
    built_in = world.built_in()
    found = foreign.lint([file], built_in).diagnostics
    read_line.__globals__["_lines"].cache_clear()
    seen = reporters.render("text", found, read_line)
    assert f"{seen}\nchecked against {built_in.fleet}\n" == text[1]
