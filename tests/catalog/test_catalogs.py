"""What holds for every built-in catalog."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from gpuobs import catalog
from gpuobs.catalog import units
from gpuobs.spec.document import read
from gpuobs.spec.model import Metric, MetricCatalog, Unit
from gpuobs.spec.shape import shape

FOLDER = Path(catalog.__file__).parent
FILES = sorted(FOLDER.glob("*.yaml"))
NAMES = catalog.metric_catalog_names()
UNITLESS = {"boolean", "bitmask", "info", "label"}


def metrics(name: str) -> tuple[Metric, ...]:
    return of(name).metrics


def of(name: str) -> MetricCatalog:
    found = catalog.metric_catalog(name)
    assert found is not None
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_catalog_is_a_spec_that_anybody_could_have_written(path: Path) -> None:
    node, problems = read(path.name, path.read_bytes())
    assert node is not None
    assert problems == []
    spec, problems = shape(node)
    assert spec is not None
    assert problems == []
    expected = "builtin" if path.stem in ("signals", "gpu-models") else path.stem
    assert spec.name == expected


def test_every_catalog_is_found_by_its_name() -> None:
    assert NAMES == ("amd-device-metrics", "kube-state-metrics", "nvidia-dcgm", "prometheus")
    assert catalog.metric_catalog("nvidia-dgcm") is None


@pytest.mark.parametrize("name", NAMES)
def test_no_name_or_alias_is_there_twice(name: str) -> None:
    spelled = Counter(n for metric in metrics(name) for n in (metric.name, *metric.aliases))
    assert [n for n, count in spelled.items() if count > 1] == []
    ids = Counter(metric.field_id for metric in metrics(name) if metric.field_id is not None)
    assert [field for field, count in ids.items() if count > 1] == []


def test_no_two_catalogs_write_one_name() -> None:
    spelled = Counter(n for name in NAMES for m in metrics(name) for n in (m.name, *m.aliases))
    assert [n for n, count in spelled.items() if count > 1] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_says_what_it_is_and_where_that_stands(name: str) -> None:
    sourced = "from" in of(name).description
    for metric in metrics(name):
        assert metric.help, metric.name
        assert metric.groups, metric.name
        assert metric.source or sourced, metric.name


@pytest.mark.parametrize("name", NAMES)
def test_kinds_units_and_ranges_agree(name: str) -> None:
    for metric in metrics(name):
        low, high = metric.range or (None, None)
        assert low is None or high is None or low < high, metric.name
        if metric.kind in UNITLESS:
            assert metric.unit == "", metric.name
        if metric.kind in ("code", "latched-code"):
            assert metric.unit == "code", metric.name
        if metric.kind == "boolean":
            assert metric.range == (0, 1), metric.name
        if metric.kind == "counter":
            assert metric.range == (0, None), metric.name
        if metric.unit == "percent":
            assert metric.range == (0, 100), metric.name
        if metric.kind == "rate":
            assert units.base(metric.unit)[0] == "bytes/s", metric.name


@pytest.mark.parametrize("name", ["nvidia-dcgm", "amd-device-metrics"])
def test_identity_and_workload_labels_are_labels_of_the_gpu(name: str) -> None:
    found = of(name)
    assert set(found.identity.values()) <= set(found.entity_labels["gpu"])
    assert found.workload_labels == ("namespace", "pod", "container")
    assert {metric.per for metric in found.metrics} <= set(found.entity_labels)


def test_every_unit_of_the_language_with_a_base_is_in_the_table_of_units() -> None:
    scaled = {
        unit for unit in get_args(Unit) if unit.startswith(("milli", "micro", "nano", "mega"))
    }
    without = {"megabits-per-second"} - set(units.UNITS)
    assert scaled - set(units.UNITS) == without
    assert set(units.UNITS) <= set(get_args(Unit))


def test_what_exists_for_every_target_says_so() -> None:
    every = {m.name for m in metrics("prometheus") if "every-target" in m.groups}
    assert every == {
        "process_start_time_seconds",
        "scrape_duration_seconds",
        "scrape_samples_post_metric_relabeling",
        "scrape_samples_scraped",
        "scrape_series_added",
        "up",
    }
    assert {m.per for m in metrics("prometheus") if "every-target" in m.groups} == {"target"}


def test_the_exporters_of_amd_report_physical_values_once_a_gpu() -> None:
    found = of("amd-device-metrics")
    assert len(found.metrics) == 194
    assert "mig_instance" not in found.identity
    assert "gpu_partition_id" in found.entity_labels["gpu"]
    assert Counter(
        m.name.split("_")[2] for m in found.metrics if m.name.startswith("gpu_ecc_")
    ) == {
        "correct": 20,
        "uncorrect": 20,
        "deferred": 20,
    }
    unbounded = {m.name: m.groups for m in found.metrics if "process_id" in m.labels}
    assert unbounded == {"gpu_process_cu_occupancy": ("process",)}


def test_kubernetes_names_of_the_subject_depend_on_honor_labels() -> None:
    found = of("kube-state-metrics")
    assert found.workload_labels == ("namespace", "pod", "container")
    assert {"pod", "container", "global"} == set(found.entity_labels)
    assert [m.name for m in found.metrics if set(m.labels) & set(found.workload_labels)] == []
