"""Pods come and go: how many there are at a time, and how often one follows another."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from gpuobs.spec.scalars import Duration
from tests.live.fleets import FLEETS, project
from tests.simulate.conftest import Fleets
from tests.simulate.scraped import START, Fleet, fleet

LIFETIME = int(Duration(FLEETS["churn"]["clusters"][0]["workloads"]["podLifetime"]).seconds)


def pods(found: Fleet) -> dict[str, set[str]]:
    """The pods that hold each GPU now, by the GPU's UUID."""
    held: dict[str, set[str]] = {}
    for target in found.simulated.targets:
        for sample in found.samples(target):
            if sample.name == "DCGM_FI_DEV_GPU_TEMP":
                held.setdefault(sample.labels["UUID"], set()).add(sample.labels["pod"])
    return held


def test_each_pod_lives_as_long_and_ends_are_spread(fleets: Fleets) -> None:
    found = fleets["churn"]
    seen = []
    for second in range(2 * LIFETIME + 1):
        found.clock.now = START + second
        seen.append(pods(found))
    ends: dict[str, list[int]] = {}
    for second, (before, after) in enumerate(pairwise(seen)):
        for gpu in before:
            if before[gpu] != after[gpu]:
                ends.setdefault(gpu, []).append(second)
    assert len(ends) == 16
    assert {last - first for first, last in ends.values()} == {LIFETIME}
    firsts = sorted(first for first, _ in ends.values())
    assert max(b - a for a, b in pairwise(firsts)) <= 2 * LIFETIME / len(firsts)
    assert max(firsts.count(second) for second in firsts) <= 2


def test_a_pod_that_follows_another_has_a_name_of_its_own(fleets: Fleets) -> None:
    found = fleets["churn"]
    before = set().union(*pods(found).values())
    found.clock.now += LIFETIME
    assert before.isdisjoint(set().union(*pods(found).values()))


def test_pods_share_a_gpu(fleets: Fleets) -> None:
    held = pods(fleets["time-slicing"])
    assert {len(names) for names in held.values()} == {3}
    assert len(set().union(*held.values())) == 3 * len(held)


def test_a_pod_holds_several_gpus_of_its_pool_only(tmp_path: Path) -> None:
    """Pools of different sizes: no pod of one has the name of another's."""
    workloads = {"podsPerGpu": 2, "gpusPerPod": 4, "identity": "dcgm-pod-labels"}
    pools = [
        {"name": "large", "gpu": "H100-SXM5-80GB", "nodes": 2, "gpusPerNode": 8},
        {"name": "small", "gpu": "H100-SXM5-80GB", "nodes": 3, "gpusPerNode": 4},
    ]
    exporters = [*FLEETS["plain"]["exporters"], {"catalog": "kube-state-metrics", "job": "ksm"}]
    cluster = {"name": "live", "pools": pools, "workloads": workloads}
    written = {**FLEETS["plain"], "exporters": exporters, "clusters": [cluster]}
    found = fleet(project(tmp_path, written))
    held = pods(found)
    names = sorted(set().union(*held.values()))
    assert len(held) == 28
    assert len(names) == 28 * 2 // 4
    assert {sum(name in each for each in held.values()) for name in names} == {4}
    info = [s for s in found.samples(found.target("ksm")) if s.name == "kube_pod_info"]
    assert sorted(s.labels["pod"] for s in info) == names


def test_without_identity_no_series_names_a_pod(fleets: Fleets) -> None:
    found = fleets["plain"]
    for target in found.simulated.targets:
        assert not [s for s in found.samples(target) if "pod" in s.labels]


@pytest.mark.parametrize("seed", [0, 7])
def test_a_seed_changes_values_and_no_series(fleets: Fleets, seed: int) -> None:
    found = fleets["mig"]
    target = found.target("dcgm-exporter")
    own = found.simulated.page(target)
    other = found.seeded(seed).page(target)
    assert (own == other) == (seed == 0)
