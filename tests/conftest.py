"""What tests share: the promtools that judge, and the smallest project that compiles."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuobs.cli import common
from gpuobs.diagnostics import EnvironmentProblem
from gpuobs.verify.promtool import Promtool, fetch, find

BASE = Path(__file__).parent / "base"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")


@pytest.fixture(scope="session")
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written instead of compared."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(scope="session")
def promtool() -> Promtool:
    """The promtool that a user would get."""
    try:
        return find()
    except EnvironmentProblem:
        return fetch()


@pytest.fixture(scope="session", params=["2.42", "2.53", "3.5"])
def each_promtool(request: pytest.FixtureRequest) -> Promtool:
    """Every promtool that the output must please."""
    return fetch(request.param)


@pytest.fixture(autouse=True)
def unread() -> None:
    """A command reads a file once; in a test's process another file may have had its name."""
    common.read_line.__globals__["_lines"].cache_clear()
