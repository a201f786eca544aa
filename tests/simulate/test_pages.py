"""Pages as an exporter writes them: well formed, with the labels and the values that the catalogs say."""

from __future__ import annotations

import subprocess
from collections import Counter

import pytest

from gpuobs.budget import census
from gpuobs.verify.promtool import Promtool
from gpuobs.world import world
from tests.simulate.conftest import NAMES, Fleets
from tests.simulate.pages import read


@pytest.mark.parametrize("name", NAMES)
def test_every_page_is_well_formed(fleets: Fleets, name: str) -> None:
    """Which the reader asserts; one target of each exporter in each pool, all of which have the same form."""
    found = fleets[name].simulated
    kinds = {(t.job, t.node.pool.name if t.node else t.cluster.name): t for t in found.targets}
    for target in kinds.values():
        families, samples = read(found.page(target) or b"")
        # Of some services the specs do not say how many there are of what they report: queues, models, tenants.
        assert samples or not target.exporter.catalog.vendor
        assert set(families) == {sample.family for sample in samples}


@pytest.mark.parametrize("name", ["mig", "two-vendors", "links", "reference"])
def test_promtool_reads_every_page(fleets: Fleets, each_promtool: Promtool, name: str) -> None:
    """It exits with 3 for names that are not as it likes them, with 1 for what it cannot read."""
    found = fleets[name].simulated
    for job in dict.fromkeys(target.job for target in found.targets):
        target = fleets[name].target(job)
        done = subprocess.run(
            [each_promtool.path, "check", "metrics"],
            input=found.page(target),
            capture_output=True,
            check=False,
        )
        assert done.returncode in (0, 3), done.stderr.decode()


@pytest.mark.parametrize("name", NAMES)
def test_stored_series_have_the_labels_that_the_analysis_says(fleets: Fleets, name: str) -> None:
    """Every certain one, and no impossible one, once the generated configuration has scraped them."""
    found = fleets[name]
    said = world(found.program)
    for job in dict.fromkeys(target.job for target in found.simulated.targets):
        for metric, labels, value in found.stored(found.target(job)):
            shape = said.metric(metric)
            assert shape is not None, metric
            assert shape.labels.certain <= labels.keys(), (metric, labels)
            assert all(shape.labels.can_have(label) for label in labels), (metric, labels)
            for label, values in shape.labels.values.items():
                assert labels.get(label) in {*values, None}, (metric, labels)
            assert shape.range.low <= value <= shape.range.high, (metric, value)


@pytest.mark.parametrize("name", NAMES)
def test_each_metric_has_the_series_that_the_account_says(fleets: Fleets, name: str) -> None:
    found = fleets[name]
    lines = census.lines(found.policy, len(found.rule_groups))
    last = {
        (str(t.cluster.name), str(t.node.pool.name), t.job): t
        for t in found.simulated.targets
        if t.node
    }
    for place in dict.fromkeys((cluster, pool) for cluster, pool, _ in last):
        targets = [target for key, target in last.items() if key[:2] == place]
        assert targets[0].node is not None
        nodes = targets[0].node.pool.nodes
        counted = dict(sum((Counter(found.counted(target)) for target in targets), Counter()))
        said = {
            line.name: line.active // nodes
            for line in lines
            if (line.cluster, line.pool) == place and line.active
        }
        assert counted == said


COUNTS = {
    # fleet, pool: series of DCGM_FI_DEV_GPU_TEMP (a board's), DCGM_FI_DEV_FB_USED (an instance's own) and of a link
    ("plain", "h100"): (8, 8, 0),
    ("mig", "h100"): (8, 8, 0),
    ("mig", "a100"): (8 * 7, 8 * 7, 0),
    ("time-slicing", "h100"): (8 * 3, 8 * 3, 0),
    ("links", "h100"): (8, 8, 8 * 18),
}


@pytest.mark.parametrize(("name", "pool"), COUNTS)
def test_a_node_has_the_series_that_one_counts_on_paper(
    fleets: Fleets, name: str, pool: str
) -> None:
    found = fleets[name]
    (target, *_) = (
        t
        for t in found.simulated.targets
        if t.node and t.node.pool.name == pool and t.exporter.catalog.vendor
    )
    counted = found.counted(target)
    names = (
        "DCGM_FI_DEV_GPU_TEMP",
        "DCGM_FI_DEV_FB_USED",
        "DCGM_FI_DEV_NVLINK_THROUGHPUT_PER_LINK",
    )
    assert tuple(counted.get(each, 0) for each in names) == COUNTS[name, pool]


def test_a_board_has_one_temperature_whoever_reports_it(fleets: Fleets) -> None:
    """MIG instances and pods that share a GPU repeat the board's value."""
    for name in ("mig", "time-slicing"):
        found = fleets[name]
        by_gpu: dict[str, set[float]] = {}
        for target in found.simulated.targets:
            for sample in found.samples(target):
                if sample.name == "DCGM_FI_DEV_GPU_TEMP":
                    by_gpu.setdefault(sample.labels["UUID"], set()).add(sample.value)
        assert {len(values) for values in by_gpu.values()} == {1}


def test_counters_rise_and_pages_repeat_at_the_same_time(fleets: Fleets) -> None:
    found = fleets["plain"]
    target = found.target("dcgm-exporter")
    name = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"
    first = [s.value for s in found.samples(target) if s.name == name]
    assert found.simulated.page(target) == found.simulated.page(target)
    found.clock.now += 10
    later = [s.value for s in found.samples(target) if s.name == name]
    # 450 W are 450,000 mJ a second.
    assert [b - a for a, b in zip(first, later, strict=True)] == [4_500_000] * 8
