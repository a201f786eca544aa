"""docs/public-alerts.md: every alert of ours that it names is one of the reference policy, and no public alert is passed over."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuobs.pipeline import compile_project

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "public-alerts.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def rows(section: str) -> list[tuple[str, str, str]]:
    """The rows of a section's table, without its head."""
    cells = [
        tuple(cell.strip() for cell in line.strip("|").split("|"))
        for line in SECTIONS[section].splitlines()
        if line.startswith("|")
    ]
    return [(cell[0], cell[1], cell[2]) for cell in cells[2:]]


SETS = [section for section in SECTIONS if rows(section)]


@pytest.fixture(scope="module")
def alerts() -> set[str]:
    program = compile_project(ROOT / "specs").program
    assert program is not None
    return set(program.alerts)


def test_what_is_named_exists(alerts: set[str]) -> None:
    named = set(re.findall(r"`([A-Z]\w+)`", PAGE))
    assert sorted(named - alerts) == []


@pytest.mark.parametrize("section", SETS)
def test_each_public_alert_has_one_of_ours_or_a_reason(section: str) -> None:
    assert [alert for alert, ours, remark in rows(section) if not (ours or remark)] == []


@pytest.mark.parametrize("section", SETS)
def test_no_public_alert_is_there_twice(section: str) -> None:
    names = [alert for alert, _, _ in rows(section)]
    assert sorted(names) == sorted(set(names))
