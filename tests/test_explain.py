"""What `gpuobs explain` says of names of the catalogs and of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuobs import checks, explain
from tests.projects import project

BASE = Path(__file__).parent / "base"


def test_every_known_name_has_a_page() -> None:
    assert [name for name in explain.known() if not explain.page(name)] == []


def test_the_index_has_a_line_for_every_check() -> None:
    assert [line.split()[0] for line in explain.index()] == list(checks.codes())
    assert [line for line in explain.index() if len(line.split()) < 2] == []


@pytest.mark.parametrize("name", ["xid 79", "XID-79", "79"])
def test_an_xid_by_its_number(name: str) -> None:
    assert explain.page(name) == (
        "XID 79 RC_GPU_HAS_FALLEN_OFF_THE_BUS: GPU has fallen off the bus\n"
        "  class reboot, NVIDIA's immediate action RESTART_BM"
    )


def test_a_recorded_series_with_its_readers() -> None:
    program, _ = explain.project(BASE, {})
    assert program is not None
    page = explain.in_project("gpu:temperature:max5m", program)
    assert page is not None
    first = page.splitlines()[0]
    assert first.startswith("gpu:temperature:max5m, from ")
    assert "rollups.yaml:" in first
    assert any(line.startswith("  unit celsius, keeps ") for line in page.splitlines())
    assert page.splitlines()[-1] == "  read by nobody"


def test_a_name_that_nobody_has() -> None:
    program, _ = explain.project(BASE, {})
    assert program is not None
    assert explain.page("nothing") is None
    assert explain.in_project("nothing", program) is None
    assert "gpu:temperature:max5m" in explain.known_in(program)


def test_a_project_that_cannot_be_searched_says_why(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    why = f"There is no folder '{nowhere}' to look for alerts and rollups in."
    assert explain.project(nowhere, {}) == (None, why)
    specs = project(tmp_path, "alerts:\n  - {name: Odd}\n")
    assert explain.project(specs, {}) == (
        None,
        f"Alerts and rollups were not looked through: '{specs}' has 1 error, see 'gpuobs lint'.",
    )
