"""Hostile rule files through every check, for several fleets.

Each case is made from the seed and its number alone, so that one that fails can be run by itself.
"""

from __future__ import annotations

import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuobs import foreign, promql
from gpuobs.checks import _joins, _labels
from gpuobs.foreign import world
from gpuobs.foreign.world import World
from gpuobs.pipeline import check_project
from tests.foreign.fuzz.files import ROOT, Maker, expressions, seeds

SLOW = 2.0  # seconds
_FLEET = """apiVersion: gpuobs/v1
kind: Fleet
name: {name}
prometheusVersion: '{version}'
scrapeInterval: {scrape}
evaluationInterval: 5m
exporters:
  - {{catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, honorLabels: {honor}, collect: [default, profiling, DCGM_FI_DEV_ROW_REMAP_PENDING, DCGM_EXP_XID_ERRORS_COUNT]}}
  - {{catalog: amd-device-metrics, job: amd, collect: [default]}}
  - {{catalog: kube-state-metrics, job: kube-state-metrics, honorLabels: true}}
clusters:
  - name: {name}
    pools:
      - {{name: a, gpu: A100-SXM4-40GB, nodes: {nodes}, gpusPerNode: 8, mig: {mig}}}
      - {{name: b, gpu: MI300X-192GB, nodes: 1, gpusPerNode: 8}}
    workloads: {{podsPerGpu: 4, podLifetime: 1m, identity: dcgm-pod-labels}}
storage: {{longTerm: {{kind: {store}}}}}
"""
_FLEETS = (
    {"name": "mig", "version": "2.42", "scrape": "30s", "honor": "true", "nodes": 1, "mig": "{1g.5gb: 7}", "store": "none"},
    {"name": "newer", "version": "3.5", "scrape": "1s", "honor": "false", "nodes": 99999, "mig": "{}", "store": "thanos"},
    {"name": "mimir", "version": "2.53", "scrape": "5m", "honor": "true", "nodes": 3, "mig": "{}", "store": "mimir"},
)  # fmt: skip


def fleets(scratch: Path) -> list[World]:
    """The built-in fleet, that of the reference policy, and such as have MIG, newer versions and other stores."""
    project = check_project(ROOT / "specs").program
    assert project is not None
    found = [world.built_in(), world.of_project(project)]
    for fleet in _FLEETS:
        file = scratch / f"{fleet['name']}.yaml"
        file.write_text(_FLEET.format(**fleet), encoding="utf-8")
        made, mistakes = world.of_file(file)
        assert made is not None, mistakes
        found.append(made)
    return found


@dataclass
class Tally:
    """What a run gave."""

    cases: int = 0
    findings: int = 0
    failed: int = 0
    slow: int = 0
    slowest: float = 0.0
    slowest_case: int = -1


def _forget() -> None:
    """What thousands of runs in one process would keep, and one run does not have."""
    promql.parse.cache_clear()
    _joins.joins.cache_clear()
    _labels.uses.cache_clear()


def run(
    numbers: Sequence[int], seed: int, out: Callable[[str], object] = print, slow: float = SLOW
) -> Tally:
    """Every case against one fleet after the other; what fails or is slow is told at once."""
    tally = Tally()
    texts = seeds()
    maker = Maker(texts, expressions(texts))
    with tempfile.TemporaryDirectory() as folder:
        worlds = fleets(Path(folder))
        file = Path(folder) / "rules.yaml"
        for number in numbers:
            if number % 200 == 0:
                _forget()
            file.write_bytes(maker.text(seed, number).encode("utf-8", "surrogatepass"))
            start = time.perf_counter()
            try:
                done = foreign.lint([file], worlds[number % len(worlds)])
                tally.findings += len(done.diagnostics)
            except Exception:  # noqa: BLE001 -- what is looked for
                tally.failed += 1
                out(f"case {number} fails:\n{traceback.format_exc(limit=-4)}")
            taken = time.perf_counter() - start
            tally.cases += 1
            if taken > tally.slowest:
                tally.slowest, tally.slowest_case = taken, number
            if taken > slow:
                tally.slow += 1
                out(f"case {number} takes {taken:.1f} s")
    return tally
