"""Dimensional arithmetic over a source: what it proves, and what it leaves alone."""

from __future__ import annotations

import re

import pytest

from gpuobs import catalog
from gpuobs.catalog import units
from gpuobs.spec.document import read
from gpuobs.spec.model import Metric, Signal, SignalCatalog
from gpuobs.spec.shape import shape


def signal(unit: str, bounds: str = "[0, null]") -> Signal:
    text = f"""
apiVersion: gpuobs/v1
kind: SignalCatalog
name: test
signals:
  - {{name: wanted, help: a test, unit: {unit}, range: {bounds}, sources: {{nvidia: up}}}}
"""
    node, problems = read("specs/signals.yaml", text.encode())
    assert node is not None, problems
    spec, problems = shape(node)
    assert isinstance(spec, SignalCatalog), problems
    return spec.signals[0]


def known() -> dict[str, Metric]:
    return {
        metric.name: metric
        for name in catalog.metric_catalog_names()
        for metric in (catalog.metric_catalog(name) or pytest.fail(name)).metrics
    }


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("DCGM_FI_DEV_FB_USED * 1024 * 1024", "bytes"),
        ("1048576 * DCGM_FI_DEV_FB_USED", "bytes"),
        ("(DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE) * (1024 * 1024)", "bytes"),
        ("gpu_used_vram * 1e6", "bytes"),
        ("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION / 1e3", "joules"),
        ("gpu_energy_consumed / 1e6", "joules"),
        ("DCGM_FI_DEV_THERMAL_VIOLATION / 1e9", "seconds"),
        ("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL * 1024000", "bytes-per-second"),
        ("DCGM_FI_DEV_SM_CLOCK * 1e6", "hertz"),
        ("DCGM_FI_DEV_GPU_UTIL / 100", "ratio"),
        ("gpu_junction_temperature or gpu_edge_temperature", "celsius"),
        ("DCGM_FI_DEV_GPU_TEMP unless DCGM_FI_DEV_FB_USED", "celsius"),
        ("floor(DCGM_FI_DEV_CLOCK_THROTTLE_REASONS / 8) % 2", "ratio"),
        ("DCGM_FI_DEV_POWER_USAGE / DCGM_FI_DEV_ENFORCED_POWER_LIMIT", "ratio"),
        ("DCGM_FI_DEV_GPU_TEMP >= bool 0", "gpus"),
        ("a_metric_that_nobody_knows", "bytes"),
        ("this is no (query", "bytes"),
    ],
)
def test_right_or_not_provable(text: str, unit: str) -> None:
    assert units.problems(text, known().get, signal(unit)) == []


@pytest.mark.parametrize(
    ("text", "unit", "problem"),
    [
        (
            "DCGM_FI_DEV_FB_USED",
            "bytes",
            "is in mebibytes: times 1 that is no bytes, times 1048576 it is",
        ),
        (
            "DCGM_FI_DEV_FB_USED * 1000 * 1000",
            "bytes",
            "is in mebibytes: times 1000000 that is no bytes, times 1048576 it is",
        ),
        (
            "DCGM_FI_DEV_GPU_UTIL",
            "ratio",
            "is in percent: times 1 that is no ratio, divided by 100 it is",
        ),
        (
            "DCGM_FI_DEV_THERMAL_VIOLATION / 1e6",
            "seconds",
            "is in nanoseconds: divided by 1000000 that is no seconds, divided by 1000000000 it is",
        ),
        (
            "DCGM_FI_DEV_MEM_COPY_UTIL * 1024 * 1024",
            "bytes",
            "is in percent, and 'wanted' in bytes",
        ),
        (
            "gpu_power_usage or gpu_junction_temperature",
            "celsius",
            "is in watts, and 'wanted' in celsius",
        ),
    ],
)
def test_wrong_units(text: str, unit: str, problem: str) -> None:
    assert units.problems(text, known().get, signal(unit)) == [
        f"'{re.split('[^a-zA-Z_]', text)[0]}' {problem}"
    ]


def test_values_beyond_the_range_of_the_signal() -> None:
    assert units.problems("DCGM_FI_DEV_GPU_TEMP", known().get, signal("celsius", "[0, 100]")) == [
        "'DCGM_FI_DEV_GPU_TEMP' times 1 can be 200, and 'wanted' goes from 0 to 100"
    ]
    assert units.problems("DCGM_FI_DEV_GPU_TEMP_LIMIT", known().get, signal("celsius")) == [
        "'DCGM_FI_DEV_GPU_TEMP_LIMIT' times 1 can be -200, and 'wanted' goes from 0 to no limit"
    ]


def test_the_range_of_a_sum_is_not_that_of_its_parts() -> None:
    text = "DCGM_FI_DEV_GPU_TEMP - DCGM_FI_DEV_MEMORY_TEMP"
    assert units.problems(text, known().get, signal("celsius", "[-100, 100]")) == []
