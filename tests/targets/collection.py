"""Fleets whose exporters, Prometheus servers and stores are configured: one for each kind of store."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from gpuobs.pipeline import Compilation, compile_project

FLEETS = Path(__file__).parent / "fleets"
KINDS = ("mimir", "thanos-receive", "thanos-sidecar", "federation")
BUDGET = """\
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {headroom: 0.25}
"""


def compiled(kind: str, budget: str = BUDGET) -> Compilation:
    """A fleet with a Budget, and one signal recorded at every level."""
    with TemporaryDirectory() as folder:
        specs = Path(folder)
        shutil.copy(FLEETS / f"{kind}.yaml", specs / "fleet.yaml")
        shutil.copy(FLEETS / "rollups.yaml", specs)
        shutil.copy(FLEETS.parents[1] / "base" / "tiers.yaml", specs)
        if budget:
            (specs / "budget.yaml").write_text(budget, encoding="utf-8")
        return compile_project(specs)


@lru_cache(maxsize=16)
def files(kind: str, budget: str = BUDGET) -> Mapping[str, bytes]:
    """Every file of a fleet, by its path."""
    done = compiled(kind, budget)
    assert done.artifacts, done.diagnostics
    return {artifact.path: artifact.content for artifact in done.artifacts}
