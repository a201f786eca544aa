"""Which labels every series of a metric has, which only some, and which none, by version, honorLabels and MIG."""

from __future__ import annotations

from pathlib import Path

from gpuobs import pipeline
from gpuobs.ir import Program
from gpuobs.policy import Policy
from gpuobs.world import world
from tests.projects import project

EXPORTER = "{catalog: nvidia-dcgm, job: dcgm-exporter, collect: [default, exp], "
TARGET = {"job", "instance", "cluster", "pool"}
GPU = {"gpu", "UUID", "device", "modelName"}


def program(folder: Path, exporter: str, mig: str = "") -> Program:
    specs = project(
        folder,
        f"""\
exporters:
  - {EXPORTER}{exporter}}}
clusters:
  - name: one
    pools:
      - {{name: h100, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8{mig}}}
""",
    )
    (specs / "rollups.yaml").unlink()
    done = pipeline.check_project(specs)
    assert done.program is not None, done.diagnostics
    return done.program


def policy(folder: Path, exporter: str, mig: str = "") -> Policy:
    found = program(folder, exporter, mig).policy
    assert found is not None
    return found


def labels(found: Policy, metric: str) -> tuple[set[str], set[str]]:
    """The labels that every series has, and those that only some have."""
    collected = found.collected[metric]
    certain = found.always(collected)
    assert certain <= collected.labels
    return set(certain), set(collected.labels - certain)


def test_the_workload_is_only_there_while_a_pod_holds_the_gpu(tmp_path: Path) -> None:
    found = policy(tmp_path, "version: 4.5.3-4.8.2")
    certain, sometimes = labels(found, "DCGM_FI_DEV_GPU_TEMP")
    assert certain == TARGET | GPU | {"pci_bus_id", "Hostname"}
    assert sometimes == {
        *("GPU_I_ID", "GPU_I_PROFILE", "DCGM_FI_DRIVER_VERSION"),
        *("exported_pod", "exported_namespace", "exported_container"),
        *("pod", "namespace", "container", "service", "endpoint"),
    }
    honest = policy(tmp_path / "honest", "version: 4.5.3-4.8.2, honorLabels: true")
    _, sometimes = labels(honest, "DCGM_FI_DEV_GPU_TEMP")
    assert "exported_pod" not in sometimes
    assert "pod" in sometimes


def test_a_version_adds_labels_and_renames_others(tmp_path: Path) -> None:
    old = policy(tmp_path / "old", "version: 3.3.5-3.4.1")
    certain, sometimes = labels(old, "DCGM_FI_DEV_XID_ERRORS")
    assert certain == TARGET | GPU | {"Hostname"}
    assert not sometimes & {"err_code", "err_msg", "pci_bus_id"}
    new = policy(tmp_path / "new", "version: 4.6.0-4.8.3")
    certain, _ = labels(new, "DCGM_FI_DEV_XID_ERRORS")
    assert certain == TARGET | GPU | {"pci_bus_id", "hostname", "err_code", "err_msg"}


def test_a_label_of_the_metric_itself_may_be_missing(tmp_path: Path) -> None:
    found = policy(tmp_path, "version: 4.5.3-4.8.2")
    certain, sometimes = labels(found, "DCGM_EXP_XID_ERRORS_COUNT")
    assert "xid" in sometimes
    assert "window_size_in_ms" in certain


def test_where_every_gpu_is_cut_each_series_names_its_instance(tmp_path: Path) -> None:
    found = policy(tmp_path, "version: 4.5.3-4.8.2", ", mig: {1g.10gb: 7}")
    certain, _ = labels(found, "DCGM_FI_DEV_FB_USED")
    assert {"GPU_I_ID", "GPU_I_PROFILE"} <= certain


def test_a_label_that_the_fleet_renamed_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    found = policy(tmp_path, "version: 4.5.3-4.8.2, labels: {node: kubernetes_node}")
    certain, sometimes = labels(found, "DCGM_FI_DEV_GPU_TEMP")
    assert "kubernetes_node" in certain
    assert "Hostname" in sometimes


def test_the_analysis_knows_the_values_that_a_label_can_have(tmp_path: Path) -> None:
    found = world(program(tmp_path, "version: 4.5.3-4.8.2"))
    shape = found.metric("DCGM_EXP_GPU_HEALTH_STATUS")
    assert shape is not None
    assert "THERMAL" in shape.labels.values["health_watch"]
    assert "health_error_severity" not in shape.labels.values
