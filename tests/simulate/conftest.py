"""The fleets that tests of the simulation share."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.live.fleets import FLEETS, project, reference
from tests.simulate.scraped import Fleet, fleet

NAMES = (*FLEETS, "reference")


class Fleets:
    """Fleets by name, each compiled once; their clocks are set anew by who asks."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made = cache(self._make)

    def __getitem__(self, name: str) -> Fleet:
        found = self._made(name)
        found.clock.reset()
        found.simulated.strike()
        found.simulated._pages.clear()  # which know no time that goes back
        return found

    def _make(self, name: str) -> Fleet:
        folder = self._folder / name
        folder.mkdir()
        return fleet(reference(folder) if name == "reference" else project(folder, FLEETS[name]))


@pytest.fixture(scope="session")
def fleets(tmp_path_factory: pytest.TempPathFactory) -> Fleets:
    return Fleets(tmp_path_factory.mktemp("fleets"))
