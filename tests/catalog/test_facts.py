"""What catalogs say beyond names and units: labels that may be missing, their values, bits, parts of wholes, mistakes."""

from __future__ import annotations

import pytest

from gpuobs import catalog
from gpuobs.exporters import series_of
from gpuobs.spec.model import Metric, MetricCatalog
from gpuobs.spec.scalars import LabelName

NAMES = catalog.metric_catalog_names()


def of(name: str) -> MetricCatalog:
    found = catalog.metric_catalog(name)
    assert found is not None
    return found


def by_name(name: str) -> dict[str, Metric]:
    return {metric.name: metric for metric in of(name).metrics}


def dcgm(*endings: str) -> list[Metric]:
    known = by_name("nvidia-dcgm")
    return [known[f"DCGM_FI_{ending}"] for ending in endings]


def everything_written() -> set[str]:
    return {
        written
        for name in NAMES
        for metric in of(name).metrics
        for spelling in (metric.name, *metric.aliases)
        for written, _ in (*series_of(spelling, metric), (spelling, metric))
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_label_that_may_be_missing_is_a_label(name: str) -> None:
    found = of(name)
    for metric in found.metrics:
        assert set(metric.sometimes) <= set(metric.labels), metric.name
        assert not set(metric.sometimes) & set(found.sometimes.get(metric.per, ())), metric.name
    for per, labels in found.sometimes.items():
        metrics = [metric for metric in found.metrics if metric.per == per]
        known = {*found.entity_labels.get(per, ())} | {l for m in metrics for l in m.labels}  # noqa: E741
        assert set(labels) <= known, per


@pytest.mark.parametrize("name", NAMES)
def test_known_values_belong_to_a_label_of_the_metric(name: str) -> None:
    for metric in of(name).metrics:
        assert set(metric.values) <= set(metric.labels), metric.name
        for label, values in metric.values.items():
            assert len(values) == len(set(values)) > 1, (metric.name, label)


@pytest.mark.parametrize("name", NAMES)
def test_bits_are_powers_of_two_of_a_bitmask(name: str) -> None:
    for metric in of(name).metrics:
        assert not metric.bits or metric.kind == "bitmask", metric.name
        assert [bit for bit in metric.bits.values() if bit.bit_count() != 1] == [], metric.name
        assert len(set(metric.bits.values())) == len(metric.bits), metric.name


@pytest.mark.parametrize("name", NAMES)
def test_parts_of_a_whole_can_be_added_up(name: str) -> None:
    known = by_name(name)
    for metric in known.values():
        others = [known[other] for other in (*metric.rest, *filter(None, [metric.whole]))]
        for other in others:
            assert (other.unit, other.per, other.labels) == (
                metric.unit,
                metric.per,
                metric.labels,
            ), metric.name
        for part in metric.rest:
            assert {metric.name, *metric.rest} == {part, *known[part].rest}, metric.name
            assert known[part].whole == metric.whole, metric.name
        assert metric.whole not in (metric.name, *metric.rest), metric.name


@pytest.mark.parametrize("name", NAMES)
def test_values_that_leak_are_beyond_a_bound(name: str) -> None:
    for metric in of(name).metrics:
        if metric.sentinel:
            assert metric.range is not None, metric.name
            assert metric.range[1] is not None, metric.name


@pytest.mark.parametrize("name", NAMES)
def test_traps_are_sentences(name: str) -> None:
    for metric in of(name).metrics:
        for trap in metric.traps:
            assert trap.endswith("."), (metric.name, trap)
            assert len(trap) <= 200, (metric.name, len(trap))


@pytest.mark.parametrize("name", NAMES)
def test_a_mistaken_name_is_written_by_nobody_and_the_right_one_is(name: str) -> None:
    written = everything_written()
    for mistaken in of(name).mistaken:
        assert set(mistaken.names) & written == set()
        assert set(mistaken.names.values()) - written == set()


def test_the_mistakes_of_the_source_documents_are_known() -> None:
    assert catalog.mistaken("prometheus_wal_corruptions_total") == (
        "prometheus_tsdb_wal_corruptions_total",
        "",
    )
    assert catalog.mistaken("GPU_UTILIZATION") == (
        "DCGM_FI_DEV_GPU_UTIL",
        "a type of Run:ai's REST API, not a series",
    )
    assert catalog.mistaken("DCGM_FI_DEV_GPU_UTIL") is None


def test_a_board_has_one_value_and_each_instance_its_own_memory() -> None:
    board = dcgm(
        *(f"DEV_{field}" for field in ("GPU_TEMP", "MEMORY_TEMP", "POWER_USAGE", "SM_CLOCK")),
        *(f"DEV_{field}" for field in ("MEM_CLOCK", "TOTAL_ENERGY_CONSUMPTION")),
        *(f"DEV_{field}" for field in ("PCIE_REPLAY_COUNTER", "POWER_VIOLATION")),
        *(f"DEV_{field}" for field in ("THERMAL_VIOLATION", "ECC_DBE_VOL_TOTAL")),
        *(f"PROF_{field}" for field in ("PCIE_TX_BYTES", "NVLINK_RX_BYTES", "NVDEC0_ACTIVE")),
        *(f"PROF_{field}" for field in ("NVJPG0_ACTIVE", "NVOFA0_ACTIVE")),
        "PROF_SM_CYCLES_ACTIVE_TOTAL",
        "DEV_NVLINK_BANDWIDTH_TOTAL",
    )
    assert {metric.per for metric in board} == {"gpu"}
    instance = dcgm(
        *(f"PROF_{field}" for field in ("GR_ENGINE_ACTIVE", "SM_ACTIVE", "SM_OCCUPANCY")),
        *(f"PROF_PIPE_{field}_ACTIVE" for field in ("TENSOR", "TENSOR_IMMA", "TENSOR_HMMA")),
        *(f"PROF_PIPE_{field}_ACTIVE" for field in ("TENSOR_DFMA", "INT", "FP64", "FP32", "FP16")),
        *(f"DEV_FB_{field}" for field in ("TOTAL", "FREE", "USED", "RESERVED", "USED_PERCENT")),
        *(f"DEV_BAR1_{field}" for field in ("TOTAL", "USED", "FREE")),
        "PROF_DRAM_ACTIVE",
        "DEV_XID_ERRORS",
    )
    assert {metric.per for metric in instance} == {"slice"}


def test_fields_whose_blanks_were_seen() -> None:
    leaking = {
        k: metric.sentinel for k, metric in by_name("nvidia-dcgm").items() if metric.sentinel
    }
    assert leaking == {"DCGM_FI_DEV_MEMORY_TEMP": "blank", "DCGM_FI_DEV_GPU_UTIL": "spike"}


def test_bits_have_the_names_that_clock_events_have() -> None:
    known = by_name("nvidia-dcgm")
    bits = known["DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"].bits
    assert bits["hw_thermal"] == 64
    assert tuple(bits) == known["DCGM_EXP_CLOCK_EVENTS_COUNT"].values[LabelName("clock_event")]
