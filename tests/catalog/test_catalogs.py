"""What holds for every built-in catalog."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from gpuobs import catalog
from gpuobs.exporters import TARGET_LABELS, series_of
from gpuobs.pipeline import check_project
from gpuobs.promql.units import COUNT, named
from gpuobs.spec.document import read
from gpuobs.spec.model import Metric, MetricCatalog, Spec, Unit
from gpuobs.spec.shape import shape
from tests.projects import BASE

FOLDER = Path(catalog.__file__).parent
FILES = sorted(FOLDER.glob("*.yaml"))
NAMES = catalog.metric_catalog_names()
UNITLESS = {"boolean", "bitmask", "info", "label"}
# Catalogs whose description says where all of it stands, and programs that contain the engine of another one.
ONE_SOURCE = {"amd-device-metrics", "kube-state-metrics", "prometheus"}
INSIDE = {"thanos": "prometheus"}


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
    assert NAMES == (
        "alertmanager",
        "amd-device-metrics",
        "gpu-operator",
        "intel-gaudi",
        "intel-xpumd",
        "kai",
        "kube-state-metrics",
        "kueue",
        "mimir",
        "nccl-inspector",
        "node-exporter",
        "nvidia-dcgm",
        "prometheus",
        "pushgateway",
        "runai",
        "tgi",
        "thanos",
        "triton",
        "vllm",
    )
    assert catalog.metric_catalog("nvidia-dgcm") is None


@pytest.mark.parametrize("name", NAMES)
def test_no_name_or_alias_is_there_twice(name: str) -> None:
    spelled = Counter(n for metric in metrics(name) for n in (metric.name, *metric.aliases))
    assert [n for n, count in spelled.items() if count > 1] == []
    ids = Counter(metric.field_id for metric in metrics(name) if metric.field_id is not None)
    assert [field for field, count in ids.items() if count > 1] == []
    assert [n for n, count in Counter(series(name)).items() if count > 1] == []


def series(name: str) -> list[str]:
    """What the series of a catalog can be called."""
    return [
        written
        for metric in metrics(name)
        for spelling in (metric.name, *metric.aliases)
        for written, _ in series_of(spelling, metric)
    ]


def test_no_two_catalogs_write_one_name_unless_one_program_is_inside_the_other() -> None:
    spelled = Counter(
        n for name in NAMES for n in set(series(name)) - set(series(INSIDE.get(name, name)))
    )
    spelled.update(n for name in NAMES if name not in INSIDE for n in series(name))
    assert [n for n, count in spelled.items() if count > 1] == []
    for outer, inner in INSIDE.items():
        shared = set(series(outer)) & set(series(inner))
        assert shared
        defaults = {m.name for m in metrics(outer) if "default" in m.groups}
        assert not shared & defaults


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_says_what_it_is_and_where_that_stands(name: str) -> None:
    assert " from " in f" {of(name).description} ", "the description says from where"
    for metric in metrics(name):
        assert metric.help, metric.name
        assert metric.groups, metric.name
        assert metric.source or name in ONE_SOURCE, metric.name


@pytest.mark.parametrize("name", NAMES)
def test_labels_are_written_once_and_where_they_belong(name: str) -> None:
    found = of(name)
    for metric in found.metrics:
        written = [*found.entity_labels.get(metric.per, ()), *metric.labels]
        assert [n for n, count in Counter(written).items() if count > 1] == [], metric.name
        assert not TARGET_LABELS & set(written), metric.name
        assert not set(found.workload_labels) & set(written), metric.name
        assert not {"le", "quantile"} & set(metric.labels) or name == "prometheus", metric.name


@pytest.mark.parametrize("name", NAMES)
def test_every_catalog_has_something_by_default(name: str) -> None:
    assert any("default" in metric.groups for metric in metrics(name))
    assert (
        "every-target" not in {g for m in metrics(name) for g in m.groups} or name == "prometheus"
    )


def test_a_fleet_reads_only_the_catalogs_that_it_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: set[str] = set()
    load = catalog._load

    def noted(name: str) -> Spec:
        loaded.add(name)
        return load(name)

    monkeypatch.setattr(catalog, "_load", noted)
    assert check_project(BASE).program is not None
    used = {"nvidia-dcgm", "amd-device-metrics", "kube-state-metrics", "prometheus"}
    assert loaded == used | {"signals", "gpu-models"}


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
        if metric.kind in ("histogram", "summary"):
            assert metric.range == (0, None), metric.name
            assert metric.unit, metric.name
            assert not metric.name.endswith(("_bucket", "_sum", "_count")), metric.name
        if metric.unit == "percent":
            assert metric.range == (0, 100), metric.name
        if metric.kind == "rate":
            unit = named(metric.unit)
            assert unit is not None
            assert unit.dimensions == (("bytes", 1), ("seconds", -1)), metric.name


@pytest.mark.parametrize("name", ["nvidia-dcgm", "amd-device-metrics"])
def test_identity_and_workload_labels_are_labels_of_the_gpu(name: str) -> None:
    found = of(name)
    assert set(found.identity.values()) <= set(found.entity_labels["gpu"])
    assert found.workload_labels == ("namespace", "pod", "container")
    assert {metric.per for metric in found.metrics} <= set(found.entity_labels)


def test_every_unit_of_the_language_with_a_scale_has_one() -> None:
    scaled = {
        unit for unit in get_args(Unit) if unit.startswith(("milli", "micro", "nano", "mega"))
    }
    assert [unit for unit in sorted(scaled) if named(unit) in (None, COUNT)] == []


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


def test_infiniband_is_there_in_full() -> None:
    names = {m.name for m in metrics("node-exporter") if m.name.startswith("node_infiniband_")}
    assert len(names) == 64
    ports = [m for m in metrics("node-exporter") if m.name in names and not m.name.endswith("info")]
    assert {(m.per, m.labels) for m in ports} == {("nic", ("port",))}
    assert of("node-exporter").entity_labels["nic"] == ("device",)


@pytest.mark.parametrize("name", ["intel-gaudi", "intel-xpumd", "nccl-inspector", "runai"])
def test_what_identifies_a_gpu_is_a_label_of_it(name: str) -> None:
    found = of(name)
    assert set(found.identity.values()) <= set(found.entity_labels["gpu"])


def test_only_vendors_of_gpus_have_a_vendor() -> None:
    assert {name: of(name).vendor for name in NAMES if of(name).vendor} == {
        "amd-device-metrics": "amd",
        "intel-gaudi": "intel",
        "intel-xpumd": "intel",
        "nvidia-dcgm": "nvidia",
    }
