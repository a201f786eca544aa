"""Built-in signals: every source is over known metrics, in the signal's unit, and in a form that can be lowered."""

from __future__ import annotations

import pytest

from gpuobs import catalog, promql
from gpuobs.catalog import units
from gpuobs.policy import alternatives
from gpuobs.promql import nodes
from gpuobs.promql.units import COUNT, named
from gpuobs.spec.model import Metric, Signal

CATALOGS = {"nvidia": "nvidia-dcgm", "amd": "amd-device-metrics"}
SIGNALS = {str(signal.name): signal for signal in catalog.signals().signals}
SOURCES = [
    pytest.param(signal, vendor, text, id=f"{signal.name}-{vendor}-{path[-1]}")
    for signal in SIGNALS.values()
    for vendor in signal.sources
    for text, path in alternatives(signal, vendor)
]
# What the compiler can fold to one value a GPU: no aggregation, no window, no other vendor.
UNFIT = nodes.Aggregate | nodes.Subquery


def known(vendor: str) -> dict[str, Metric]:
    found = catalog.metric_catalog(CATALOGS[vendor])
    assert found is not None
    return {name: metric for metric in found.metrics for name in (metric.name, *metric.aliases)}


def test_signals_that_the_policy_is_written_in() -> None:
    assert len(SIGNALS) == len(catalog.signals().signals)
    assert {
        "dram_active",
        "ecc_correctable",
        "ecc_uncorrectable",
        "energy",
        "gpu_present",
        "graphics_active",
        "health_status",
        "kernel_resident",
        "memory_clock",
        "memory_free",
        "memory_temperature",
        "memory_total",
        "memory_used",
        "memory_used_ratio",
        "nvlink_crc_errors",
        "nvlink_errors",
        "nvlink_rx",
        "nvlink_throughput",
        "nvlink_tx",
        "pcie_link_width",
        "pcie_replays",
        "pcie_rx",
        "pcie_tx",
        "power",
        "power_limit",
        "recovery_action",
        "remapped_rows_uncorrectable",
        "row_remap_failed",
        "row_remap_pending",
        "sm_active",
        "sm_clock",
        "sm_occupancy",
        "temperature",
        "temperature_margin",
        "tensor_active",
        "throttle_hw_power_brake",
        "throttle_hw_thermal",
        "throttle_power",
        "throttle_sw_power_cap",
        "throttle_sw_thermal",
        "throttle_sync_boost",
        "throttle_thermal",
        "utilization",
        "xid_events",
        "xid_last",
    } <= set(SIGNALS)


@pytest.mark.parametrize(("signal", "vendor", "text"), SOURCES)
def test_a_source_has_the_unit_and_the_range_of_its_signal(
    signal: Signal, vendor: str, text: str
) -> None:
    parsed = promql.parse(text)
    assert isinstance(parsed, promql.Parsed)
    metrics = known(vendor)
    assert [s.name for s in promql.selectors(parsed) if s.name not in metrics] == []
    assert units.problems(text, metrics.get, signal) == []
    assert [n for n in promql.walk(parsed.tree) if isinstance(n, UNFIT)] == []
    assert not any(n.window for n in promql.walk(parsed.tree) if isinstance(n, nodes.Select))


@pytest.mark.parametrize(("signal", "vendor", "text"), SOURCES)
def test_a_counter_is_a_sum_of_counters(signal: Signal, vendor: str, text: str) -> None:
    parsed = promql.parse(text)
    assert isinstance(parsed, promql.Parsed)
    if signal.kind == "counter":
        kinds = {known(vendor)[s.name or ""].kind for s in promql.selectors(parsed)}
        assert kinds == {"counter"}
        forms = {type(node) for node in promql.walk(parsed.tree)}
        assert forms <= {nodes.Select, nodes.Binary, nodes.Number, nodes.Paren}


def test_a_signal_has_sources_or_is_a_ratio_of_two_in_one_unit() -> None:
    for signal in SIGNALS.values():
        assert bool(signal.sources) != (signal.ratio is not None), signal.name
        if signal.ratio is not None:
            part, whole = SIGNALS[signal.ratio.of], SIGNALS[signal.ratio.to]
            assert part.unit == whole.unit, signal.name
            assert signal.unit == "ratio", signal.name


def test_signals_are_in_base_units() -> None:
    scaled = [s.name for s in SIGNALS.values() if (named(s.unit) or COUNT).scale != 1]
    assert scaled == []


def test_a_label_that_tells_series_apart_is_a_label_of_the_metric() -> None:
    for signal in SIGNALS.values():
        for vendor in signal.sources:
            for text, _ in alternatives(signal, vendor):
                parsed = promql.parse(text)
                assert isinstance(parsed, promql.Parsed)
                for selector in promql.selectors(parsed):
                    assert set(signal.by) <= set(known(vendor)[selector.name or ""].labels)
