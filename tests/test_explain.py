"""What `gpuobs explain` says of names of the catalogs and of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuobs import catalog, checks, explain
from gpuobs.ir import Program
from tests.projects import project

BASE = Path(__file__).parent / "base"
FOLDER = Path(__file__).parent / "pages"
FLEET = """\
exporters:
  - catalog: nvidia-dcgm
    job: dcgm-exporter
    version: 4.5.3-4.8.2
    collect: [default, exp]
    labels: {node: node}
  - {catalog: kube-state-metrics, job: kube-state-metrics, honorLabels: true}
  - {catalog: prometheus, job: prometheus}
  - {catalog: vllm, job: vllm}
  - {catalog: racks, job: racks}
clusters:
  - name: one
    pools:
      - {name: h100, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8}
      - {name: cut, gpu: A100-SXM4-40GB, nodes: 2, gpusPerNode: 8, mig: {1g.5gb: 7}}
"""
OWN = "  - {catalog: racks, job: racks}\n"
RACKS = """\
apiVersion: gpuobs/v1
kind: MetricCatalog
name: racks
description: Sensors of the racks, from the wiki of the data centre.
metrics:
  - name: rack_inlet_temperature_celsius
    kind: gauge
    unit: celsius
    range: [0, 100]
    per: global
    labels: [rack, side]
    values: {side: [front, back]}
    groups: [default]
    help: temperature of the air that a rack draws in
"""
ROLLUPS = """\
apiVersion: gpuobs/v1
kind: Rollups
name: all
rollups:
  - {signal: memory_used, levels: {gpu: {avg: [5m]}, cluster: {sum: [5m]}}}
  - {signal: utilization, levels: {gpu: {avg: [5m]}}}
"""
ALERTS = """\
apiVersion: gpuobs/v1
kind: Alerts
name: memory
owner: infra
alerts:
  - name: GpuMemoryFull
    tier: ticket
    when: {signal: memory_used, level: gpu, reduce: avg, window: 5m, above: 80000000000}
    for: 10m
    summary: GPU {{ $labels.gpu }} on {{ $labels.node }} is full
    description: Nothing else fits.
    runbook: {impact: Jobs fail., diagnose: [nvidia-smi], fix: [Move a job.]}
  - name: ExporterDown
    tier: ticket
    expr: up == 0
    for: 10m
    summary: '{{ $labels.job }} is down'
    description: Its GPUs are dark.
    runbook: {impact: Nothing is seen., diagnose: [kubectl get pods], fix: [Restart it.]}
    scenarios:
      - name: one exporter down
        series: {'up{job="dcgm-exporter", instance="n1"}': '0x30'}
        fires: [{at: 20m, labels: {job: dcgm-exporter}}]
"""


def test_every_known_name_has_a_page() -> None:
    without = [name for name in explain.known() if not explain.page(name)]
    assert [name for name in without if not explain.metric(name, None)] == []


# A page in the fleet of `fleet()`, and one without a project.
PAGES = {
    "gauge-of-instances": "DCGM_FI_DEV_FB_USED",
    "blanks-that-leak": "DCGM_FI_DEV_GPU_UTIL",
    "spelling-of-a-newer-version": "DCGM_FI_DEV_GPU_UTIL_RATIO",
    "latched-code": "DCGM_FI_DEV_XID_ERRORS",
    "event-count": "DCGM_EXP_XID_ERRORS_COUNT",
    "not-collected": "DCGM_FI_DEV_CLOCKS_EVENT_REASONS",
    "needs-a-newer-version": "DCGM_EXP_CLOCK_EVENTS_TOTAL",
    "label-of-all-series": "DCGM_FI_DRIVER_VERSION",
    "rate": "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL",
    "series-of-a-histogram": "vllm:time_to_first_token_seconds_bucket",
    "subject-of-kubernetes": "kube_pod_status_phase",
    "every-target": "up",
    "own-catalog": "rack_inlet_temperature_celsius",
    "mistaken": "prometheus_wal_corruptions_total",
    "mistaken-type": "GPU_UTILIZATION",
}
STOCK = ("DCGM_FI_DEV_GPU_TEMP", "runai_allocated_gpu_count_per_gpu", "node_memory_MemFree_bytes")


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """A fleet with exporters of several kinds, a catalog of its own and an alert behind a rollup."""
    specs = project(tmp_path_factory.mktemp("fleet"), FLEET)
    (specs / "racks.yaml").write_text(RACKS, encoding="utf-8")
    (specs / "rollups.yaml").write_text(ROLLUPS, encoding="utf-8")
    (specs / "alerts.yaml").write_text(ALERTS, encoding="utf-8")
    program, why = explain.project(specs, {})
    assert program is not None, why
    return program


@pytest.mark.parametrize("case", PAGES)
def test_a_page_of_a_metric_in_a_fleet(case: str, fleet: Program, update_golden: bool) -> None:
    compare(case, explain.metric(PAGES[case], fleet), update_golden)


@pytest.mark.parametrize("name", STOCK)
def test_a_page_of_a_metric_without_a_project(name: str, update_golden: bool) -> None:
    compare(f"stock-{name}", explain.metric(name, None), update_golden)


def compare(case: str, page: str | None, update: bool) -> None:
    """Hold a page to the file of its case, and to the width of a terminal."""
    file = FOLDER / f"{case}.txt"
    if update:
        file.write_text(f"{page}\n", encoding="utf-8")
    assert f"{page}\n" == file.read_text(encoding="utf-8")
    assert page is not None
    assert max(len(line) for line in page.splitlines()) <= 92
    assert [line for line in page.splitlines() if line != line.rstrip()] == []


def test_a_name_that_no_catalog_has_is_no_metric(fleet: Program) -> None:
    assert explain.metric("nothing", fleet) is None
    assert "rack_inlet_temperature_celsius" in explain.known_in(fleet)


def test_the_index_has_a_line_for_every_check() -> None:
    assert [line.split()[0] for line in explain.index()] == list(checks.codes())
    assert [line for line in explain.index() if len(line.split()) < 2] == []


@pytest.mark.parametrize("name", ["xid 79", "XID-79", "79", "xid-79"])
def test_an_xid_by_its_number(name: str) -> None:
    assert explain.page(name) == (
        "XID 79 RC_GPU_HAS_FALLEN_OFF_THE_BUS\n"
        "  GPU has fallen off the bus.\n"
        "\n"
        "  class      reboot: drain the node and restart it\n"
        "  NVIDIA     RESTART_BM, then CONTACT_SUPPORT\n"
        '  alert      DCGM_EXP_XID_ERRORS_COUNT{xid="79"} > 0\n'
        "  or         DCGM_FI_DEV_XID_ERRORS == 79 unless on (UUID) DCGM_FI_DEV_XID_ERRORS offset 5m == 79\n"
        "             which misses one that comes again at once\n"
        "\n"
        "  source     NVIDIA's XID catalogue; the class is its immediate action in a word"
    )


def test_every_xid_says_what_to_do() -> None:
    pages = {number: explain.page(f"xid-{number}") or "" for number in catalog.xids()}
    assert [number for number, page in pages.items() if "\n  class      " not in page] == []
    assert [number for number, page in pages.items() if "\n  NVIDIA     " not in page] == []
    assert "NVIDIA     publishes no action" in pages[162]


def test_a_recorded_series_with_its_readers() -> None:
    program, _ = explain.project(BASE, {})
    assert program is not None
    page = explain.in_project("gpu:temperature:max5m", program)
    assert page is not None
    first = page.splitlines()[0]
    assert first.startswith("gpu:temperature:max5m, from ")
    assert "rollups.yaml:" in first
    assert any(line.startswith("  unit celsius, keeps ") for line in page.splitlines())
    assert page.splitlines()[-1] == "  read by nobody"


def test_a_name_that_nobody_has() -> None:
    program, _ = explain.project(BASE, {})
    assert program is not None
    assert explain.page("nothing") is None
    assert explain.in_project("nothing", program) is None
    assert "gpu:temperature:max5m" in explain.known_in(program)


def test_a_project_that_cannot_be_searched_says_why(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    why = f"There is no folder '{nowhere}' to look for alerts and rollups in."
    assert explain.project(nowhere, {}) == (None, why)
    specs = project(tmp_path, "alerts:\n  - {name: Odd}\n")
    assert explain.project(specs, {}) == (
        None,
        f"Alerts and rollups were not looked through: '{specs}' has 1 error, see 'gpuobs lint'.",
    )


def test_a_catalog_has_a_page_with_its_groups() -> None:
    page = explain.page("kube-state-metrics") or ""
    assert page.startswith("kube-state-metrics: metric catalog, ")
    assert "  labels: kube_node_labels, kube_pod_labels\n" in page


@pytest.mark.parametrize("name", ["catalogs", "exporters"])
def test_catalogs_are_listed_with_what_can_be_collected(name: str) -> None:
    lines = (explain.page(name) or "").splitlines()
    listed = [line.split(" ")[0] for line in lines if not line.startswith(" ")]
    assert listed == list(catalog.metric_catalog_names())
    assert "kube-state-metrics  default, labels, annotations" in lines


def test_a_catalog_of_the_project_has_a_page(fleet: Program) -> None:
    assert "racks: metric catalog, 1 metrics" in (explain.in_project("racks", fleet) or "")


def test_an_area_lists_its_checks() -> None:
    page = (explain.page("suppression") or "").splitlines()
    assert [line.split()[0] for line in page] == [
        "suppression/expired",
        "suppression/incomplete",
        "suppression/unused",
    ]


def test_a_fleet_document_is_as_good_as_a_project(tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text(f"apiVersion: gpuobs/v1\nkind: Fleet\nname: other\n{FLEET.replace(OWN, '')}")
    program, mistakes = explain.of_fleet(file)
    assert mistakes == []
    assert "group exp" in (explain.metric("DCGM_EXP_XID_ERRORS_COUNT", program) or "")
