"""The DCGM catalog against what the exporter ships: its CSV files, its renames, and where their TYPE lines are wrong."""

from __future__ import annotations

import pytest

from gpuobs import catalog
from gpuobs.spec.model import Metric
from gpuobs.spec.scalars import LabelName

# Lines of default-counters.csv and dcp-metrics-included.csv that are switched on (release 4.6.0-4.8.3).
ON = """
DCGM_FI_DEV_SM_CLOCK DCGM_FI_DEV_MEM_CLOCK DCGM_FI_DEV_MEMORY_TEMP DCGM_FI_DEV_GPU_TEMP
DCGM_FI_DEV_POWER_USAGE DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION DCGM_FI_DEV_PCIE_REPLAY_COUNTER
DCGM_FI_DEV_GPU_UTIL DCGM_FI_DEV_MEM_COPY_UTIL DCGM_FI_DEV_ENC_UTIL DCGM_FI_DEV_DEC_UTIL
DCGM_FI_DEV_XID_ERRORS DCGM_FI_DEV_FB_FREE DCGM_FI_DEV_FB_USED DCGM_FI_DEV_FB_RESERVED
DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL DCGM_FI_DEV_VGPU_LICENSE_STATUS
DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS
DCGM_FI_DEV_ROW_REMAP_FAILURE DCGM_FI_DRIVER_VERSION
DCGM_FI_PROF_GR_ENGINE_ACTIVE DCGM_FI_PROF_PIPE_TENSOR_ACTIVE DCGM_FI_PROF_DRAM_ACTIVE
DCGM_FI_PROF_PCIE_TX_BYTES DCGM_FI_PROF_PCIE_RX_BYTES
""".split()

# Lines that are there but commented out.
OFF = """
DCGM_FI_DEV_POWER_VIOLATION DCGM_FI_DEV_THERMAL_VIOLATION DCGM_FI_DEV_SYNC_BOOST_VIOLATION
DCGM_FI_DEV_BOARD_LIMIT_VIOLATION DCGM_FI_DEV_LOW_UTIL_VIOLATION DCGM_FI_DEV_RELIABILITY_VIOLATION
DCGM_EXP_CLOCK_EVENTS_COUNT DCGM_EXP_CLOCK_EVENTS_TOTAL DCGM_EXP_XID_ERRORS_COUNT
DCGM_EXP_XID_ERRORS_TOTAL DCGM_EXP_GPU_HEALTH_STATUS DCGM_EXP_P2P_STATUS
DCGM_FI_DEV_ECC_SBE_VOL_TOTAL DCGM_FI_DEV_ECC_DBE_VOL_TOTAL
DCGM_FI_DEV_ECC_SBE_AGG_TOTAL DCGM_FI_DEV_ECC_DBE_AGG_TOTAL
DCGM_FI_DEV_RETIRED_SBE DCGM_FI_DEV_RETIRED_DBE DCGM_FI_DEV_RETIRED_PENDING
DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL
DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL
DCGM_FI_DEV_NVLINK_BANDWIDTH_L0 DCGM_FI_NVML_VERSION DCGM_FI_DEV_BRAND DCGM_FI_DEV_SERIAL
DCGM_FI_DEV_OEM_INFOROM_VER DCGM_FI_DEV_ECC_INFOROM_VER DCGM_FI_DEV_POWER_INFOROM_VER
DCGM_FI_DEV_INFOROM_IMAGE_VER DCGM_FI_DEV_VBIOS_VERSION
DCGM_FI_PROF_SM_ACTIVE DCGM_FI_PROF_SM_OCCUPANCY DCGM_FI_PROF_PIPE_FP64_ACTIVE
DCGM_FI_PROF_PIPE_FP32_ACTIVE DCGM_FI_PROF_PIPE_FP16_ACTIVE
DCGM_FI_PROF_PCIE_TX_BYTES_TOTAL DCGM_FI_PROF_PCIE_RX_BYTES_TOTAL
DCGM_FI_PROF_SM_CYCLES_ELAPSED_TOTAL DCGM_FI_PROF_SM_CYCLES_ACTIVE_TOTAL
DCGM_FI_PROF_MMA_CYCLES_ACTIVE_TOTAL DCGM_FI_PROF_DMMA_CYCLES_ACTIVE_TOTAL
DCGM_FI_PROF_HMMA_CYCLES_ACTIVE_TOTAL DCGM_FI_PROF_IMMA_CYCLES_ACTIVE_TOTAL
DCGM_FI_PROF_DFMA_CYCLES_ACTIVE_TOTAL DCGM_FI_PROF_INT_CYCLES_ACTIVE_TOTAL
DCGM_FI_PROF_FP64_CYCLES_ACTIVE_TOTAL DCGM_FI_PROF_FP32_CYCLES_ACTIVE_TOTAL
DCGM_FI_PROF_FP16_CYCLES_ACTIVE_TOTAL
""".split()

# Groups that people collect by name, with a metric that each must have.
GROUPS = {
    "ecc": "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
    "exp": "DCGM_EXP_XID_ERRORS_COUNT",
    "nvlink-errors": "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL",
    "pcie-link": "DCGM_FI_DEV_PCIE_LINK_WIDTH",
    "power-limits": "DCGM_FI_DEV_ENFORCED_POWER_LIMIT",
    "profiling": "DCGM_FI_PROF_SM_ACTIVE",
    "recovery": "DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION",
    "remap": "DCGM_FI_DEV_ROW_REMAP_PENDING",
    "retired-pages": "DCGM_FI_DEV_RETIRED_PENDING",
    "temperature-limits": "DCGM_FI_DEV_GPU_TEMP_LIMIT",
    "throttle-ns": "DCGM_FI_DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN_NS",
    "violations": "DCGM_FI_DEV_THERMAL_VIOLATION",
}

# Values that DCGM gives for 'nothing here', as float64: 32-bit, 64-bit and fractional blanks.
BLANKS = (2147483632.0, 9223372036854775792.0, 140737488355328.0)


def by_name() -> dict[str, Metric]:
    found = catalog.metric_catalog("nvidia-dcgm")
    assert found is not None
    return {metric.name: metric for metric in found.metrics}


def test_the_default_group_is_what_the_shipped_files_switch_on() -> None:
    default = [name for name, metric in by_name().items() if "default" in metric.groups]
    assert sorted(default) == sorted(ON)


def test_what_the_shipped_files_hold_back_is_in_other_groups() -> None:
    known = by_name()
    assert [name for name in OFF if name not in known] == []


def test_a_board_of_25_series_is_what_the_default_group_costs() -> None:
    series = [name for name in ON if by_name()[name].kind != "label"]
    assert len(series) == 25


@pytest.mark.parametrize(("group", "name"), GROUPS.items())
def test_groups_that_people_collect(group: str, name: str) -> None:
    assert group in by_name()[name].groups


@pytest.mark.parametrize(
    ("name", "kind", "unit"),
    [
        ("DCGM_FI_DEV_XID_ERRORS", "latched-code", "code"),
        ("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "rate", "1024000-bytes-per-second"),
        ("DCGM_FI_DEV_RETIRED_PENDING", "gauge", "pages"),
        ("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "counter", "millijoules"),
        ("DCGM_FI_DEV_POWER_VIOLATION", "counter", "nanoseconds"),
        ("DCGM_FI_DEV_FB_USED", "gauge", "mebibytes"),
        ("DCGM_FI_DEV_GPU_UTIL", "gauge", "percent"),
        ("DCGM_FI_DEV_FB_USED_PERCENT", "gauge", "ratio"),
        ("DCGM_FI_PROF_PCIE_TX_BYTES", "rate", "bytes-per-second"),
        ("DCGM_FI_PROF_NVLINK_TX_BYTES", "rate", "bytes-per-second"),
        ("DCGM_FI_PROF_PCIE_TX_BYTES_TOTAL", "counter", "bytes"),
        ("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "gauge", "ratio"),
        ("DCGM_EXP_XID_ERRORS_COUNT", "gauge", "events"),
        ("DCGM_EXP_XID_ERRORS_TOTAL", "counter", "events"),
        ("DCGM_EXP_GPU_HEALTH_STATUS", "code", "code"),
        ("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", "bitmask", ""),
    ],
)
def test_what_values_mean_whatever_the_type_line_says(name: str, kind: str, unit: str) -> None:
    metric = by_name()[name]
    assert (metric.kind, metric.unit) == (kind, unit)


@pytest.mark.parametrize(
    ("name", "alias", "field"),
    [
        ("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_GPU_UTIL_RATIO", 203),
        ("DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_XID_ERROR", 230),
        ("DCGM_FI_DEV_GPU_TEMP_LIMIT", "DCGM_FI_DEV_GPU_TEMP_MARGIN_CELSIUS", 153),
        ("DCGM_FI_DEV_FB_USED_PERCENT", "DCGM_FI_DEV_FB_USED_RATIO", 254),
        ("DCGM_FI_DEV_ROW_REMAP_FAILURE", "DCGM_FI_DEV_ROW_REMAP_FAILED", 395),
        ("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "DCGM_FI_DEV_NVLINK_THROUGHPUT_TOTAL", 449),
        ("DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_PROF_SM_UTIL_RATIO", 1002),
        ("DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION", "DCGM_FI_DEV_GPU_RECOVERY_ACTION", 1523),
    ],
)
def test_a_field_has_the_shipped_spelling_and_the_new_one(
    name: str, alias: str, field: int
) -> None:
    metric = by_name()[name]
    assert (metric.aliases, metric.field_id) == ((alias,), field)


def test_what_a_mig_instance_has_for_itself() -> None:
    slices = {name for name, metric in by_name().items() if metric.per == "slice"}
    assert {
        "DCGM_FI_DEV_FB_USED",
        "DCGM_FI_DEV_XID_ERRORS",
        "DCGM_FI_PROF_DRAM_ACTIVE",
        "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
        "DCGM_FI_PROF_SM_ACTIVE",
    } <= slices
    assert not slices & {"DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_POWER_USAGE"}


def test_what_is_missing_under_mig() -> None:
    missing = {name for name, metric in by_name().items() if "mig" in metric.unsupported}
    assert {
        "DCGM_FI_DEV_GPU_UTIL",
        "DCGM_FI_DEV_MEM_COPY_UTIL",
        "DCGM_FI_DEV_ENC_UTIL",
        "DCGM_FI_DEV_DEC_UTIL",
        "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
        "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
        "DCGM_FI_DEV_ROW_REMAP_FAILURE",
    } <= missing
    assert not missing & {"DCGM_FI_DEV_FB_USED", "DCGM_FI_PROF_SM_ACTIVE"}


def test_no_blank_is_within_a_range_that_has_an_end() -> None:
    leaking = [
        (name, blank)
        for name, metric in by_name().items()
        for blank in (BLANKS[:2] if metric.integer else BLANKS[2:])
        if metric.range and metric.range[1] is not None and blank <= metric.range[1]
        if metric.range[1] <= 2**32 or blank > 2**32
    ]
    assert leaking == [("DCGM_FI_DEV_FABRIC_HEALTH_MASK", 2147483632.0)]


def test_hostname_lost_its_capital_in_4_8_3() -> None:
    found = catalog.metric_catalog("nvidia-dcgm")
    assert found is not None
    renamed = [(c.since, dict(c.rename)) for c in found.changes if c.rename]
    assert renamed == [("4.6.0-4.8.3", {"Hostname": "hostname"})]
    assert dict(found.identity)[LabelName("node")] == "Hostname"


def test_links_spell_their_labels_in_their_own_way() -> None:
    found = catalog.metric_catalog("nvidia-dcgm")
    assert found is not None
    assert {"gpu_uuid", "model_name"} <= set(found.entity_labels["link"])
    assert not {"UUID", "modelName"} & set(found.entity_labels["link"])
