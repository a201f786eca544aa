"""Incidents change what they must, where they must, from when they are said to, and nothing else."""

from __future__ import annotations

import pytest

from gpuobs.diagnostics import EnvironmentProblem
from gpuobs.simulate.incidents import catalogue
from tests.simulate.conftest import Fleets
from tests.simulate.scraped import START, Fleet

NODE = "us-east-1-h100-train-0001"
LATER = 60.0
GPU3 = f"{NODE}/gpu3"
NAMES = [*sorted(name for name, _ in catalogue() if name != "xid-N"), "xid-31", "xid-79"]

# What each incident on one GPU changes: the names of series that change, of those that end, and of those that begin.
CHANGES: dict[str, tuple[set[str], set[str], set[str]]] = {
    "xid-31": (
        set(),
        {"DCGM_FI_DEV_XID_ERRORS", "DCGM_EXP_XID_ERRORS_COUNT"},
        {"DCGM_FI_DEV_XID_ERRORS", "DCGM_EXP_XID_ERRORS_COUNT"},
    ),
    "thermal-throttle": (
        {
            "DCGM_FI_DEV_GPU_TEMP",
            "DCGM_FI_DEV_GPU_TEMP_LIMIT",
            "DCGM_FI_DEV_MEMORY_TEMP",
            "DCGM_FI_DEV_THERMAL_VIOLATION",
            "DCGM_FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN_NS",
            "DCGM_FI_DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN_NS",
        },
        set(),
        set(),
    ),
    "power-brake": (
        {"DCGM_FI_DEV_CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN_NS"},
        set(),
        set(),
    ),
    "ecc-dbe": ({"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"}, set(), set()),
    "row-remap-pending": ({"DCGM_FI_DEV_ROW_REMAP_PENDING"}, set(), set()),
    "row-remap-failed": ({"DCGM_FI_DEV_ROW_REMAP_FAILURE"}, set(), set()),
    "nvlink-down": (
        {
            "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL",
            "DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL",
            "DCGM_FI_PROF_NVLINK_RX_BYTES",
            "DCGM_FI_PROF_NVLINK_TX_BYTES",
        },
        set(),
        set(),
    ),
    "nvlink-errors": (
        {
            "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL",
            "DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL",
        },
        set(),
        set(),
    ),
    "pcie-replays": ({"DCGM_FI_DEV_PCIE_REPLAY_COUNTER"}, set(), set()),
    "label-explosion": (set(), set(), {"gpu_requests_total"}),
}

Key = tuple[str, frozenset[tuple[str, str]]]


def state(found: Fleet, node: str) -> dict[Key, float]:
    (target,) = (t for t in found.simulated.targets if t.name == node and t.exporter.catalog.vendor)
    return {(s.name, frozenset(s.labels.items())): s.value for s in found.samples(target)}


def differences(found: Fleet, *incidents: str) -> tuple[set[Key], set[Key], set[Key]]:
    """Series of the node with other values than without the incidents, those that are gone, and new ones, a minute later."""
    found.clock.now = START + LATER
    healthy = state(found, NODE)
    found.clock.now = START
    found.simulated.strike(*incidents)
    found.clock.now = START + LATER
    struck = state(found, NODE)
    common = healthy.keys() & struck.keys()
    changed = {key for key in common if healthy[key] != struck[key]}
    return changed, healthy.keys() - struck.keys(), struck.keys() - healthy.keys()


def named(keys: set[Key]) -> set[str]:
    return {name for name, _ in keys}


@pytest.mark.parametrize("name", CHANGES)
def test_an_incident_on_a_gpu_changes_only_what_it_is_about(fleets: Fleets, name: str) -> None:
    found = differences(fleets["reference"], f"{name}@{GPU3}")
    assert tuple(map(named, found)) == CHANGES[name]
    assert {dict(labels)["gpu"] for keys in found for _, labels in keys} == {"3"}


@pytest.mark.parametrize("name", ["gpu-lost", "xid-79"])
def test_a_lost_gpu_has_no_series(fleets: Fleets, name: str) -> None:
    changed, gone, new = differences(fleets["reference"], f"{name}@{GPU3}")
    assert not changed
    assert {dict(labels)["gpu"] for _, labels in gone} == {"3"}
    left = {"DCGM_FI_DEV_XID_ERRORS", "DCGM_EXP_XID_ERRORS_COUNT"}
    assert named(new) == (left if name == "xid-79" else set())
    after = {n for n, labels in state(fleets["reference"], NODE) if dict(labels).get("gpu") == "3"}
    assert after > left


def test_a_profiling_lock_takes_the_profiling_metrics_and_nothing_else(fleets: Fleets) -> None:
    changed, gone, new = differences(fleets["reference"], f"profiling-lock@{NODE}")
    assert not changed
    assert not new
    assert {name.startswith("DCGM_FI_PROF_") for name in named(gone)} == {True}
    left = named(set(state(fleets["reference"], NODE)))
    assert "DCGM_FI_DEV_GPU_UTIL" in left


def test_a_rogue_metric_adds_a_thousand_series_to_each_target(fleets: Fleets) -> None:
    changed, gone, new = differences(fleets["reference"], "label-explosion")
    assert (len(changed), len(gone), len(new)) == (0, 0, 1000)


def test_an_exporter_that_is_down_does_not_answer(fleets: Fleets) -> None:
    found = fleets["reference"].simulated
    found.strike(f"exporter-down@{NODE}")
    down = [target.name for target in found.targets if found.page(target) is None]
    assert down == [NODE]


@pytest.mark.parametrize("name", NAMES)
def test_every_incident_does_something(fleets: Fleets, name: str) -> None:
    found = fleets["reference"]
    found.simulated.strike(f"{name}@{NODE}")
    (target,) = (t for t in found.simulated.targets if t.name == NODE and t.exporter.catalog.vendor)
    struck = found.simulated.page(target)
    found.simulated.strike()
    healthy = found.simulated.page(target)
    found.simulated.strike(f"{name}@{NODE}")
    found.clock.now += LATER
    assert struck != healthy or found.simulated.page(target) != healthy


def test_an_incident_begins_after_its_delay(fleets: Fleets) -> None:
    found = fleets["reference"]
    found.simulated.strike(f"gpu-lost@{GPU3}+5m")
    before = len(state(found, NODE))
    found.clock.now += 299
    assert len(state(found, NODE)) == before
    found.clock.now += 1
    assert len(state(found, NODE)) < before


def test_a_counter_goes_on_from_where_it_was(fleets: Fleets) -> None:
    found = fleets["reference"]
    name = "DCGM_FI_DEV_PCIE_REPLAY_COUNTER"
    found.simulated.strike(f"pcie-replays@{GPU3}+10s")
    values = []
    for second in (0, 10, 20, 30):
        found.clock.now = START + second
        values += [
            v
            for (n, labels), v in state(found, NODE).items()
            if n == name and ("gpu", "3") in labels
        ]
    assert values == [0, 0, 50, 100]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gpu-lots", "no incident 'gpu-lots': did you mean 'gpu-lost'?"),
        ("xid-1234", "no incident 'xid-1234': 'gpuobs simulate --incidents' lists them"),
        (
            "gpu-lost@us-east-1-h100-train-0009",
            "no node 'us-east-1-h100-train-0009': did you mean 'us-east-1-h100-train-0003'?",
        ),
        (f"gpu-lost@{NODE}/gpu8", f"no GPU 'gpu8' on node '{NODE}': it has {NODE}/gpu0 to gpu7"),
        ("gpu-lost@PROMETHEUS/gpu0", "no GPU 'gpu0' on node 'PROMETHEUS': it has none"),
        ("gpu-lost@/gpu1", "no GPU 'gpu1' on node '': it has none"),
        ("gpu-lost+soon", "'soon' of 'gpu-lost+soon' is no delay: such as +5m"),
    ],
)
def test_what_is_not_there_is_told(fleets: Fleets, text: str, message: str) -> None:
    found = fleets["reference"]
    prometheus = found.target("prometheus").name
    with pytest.raises(EnvironmentProblem) as problem:
        found.simulated.strike(text.replace("PROMETHEUS", prometheus))
    assert str(problem.value) == message.replace("PROMETHEUS", prometheus)
