"""Where exporters are found as they are shipped, and what hardware cannot sample at the same time."""

from __future__ import annotations

from gpuobs import catalog
from gpuobs.spec.model import MetricCatalog, Shipped

NAMES = catalog.metric_catalog_names()
SM = (
    "DCGM_FI_PROF_SM_ACTIVE",
    "DCGM_FI_PROF_SM_OCCUPANCY",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
    "DCGM_FI_PROF_PIPE_FP32_ACTIVE",
)


def of(name: str) -> MetricCatalog:
    found = catalog.metric_catalog(name)
    assert found is not None
    return found


def shipped() -> dict[str, Shipped]:
    return {name: usual for name in NAMES if (usual := of(name).usual)}


def test_ports_are_those_of_the_makers() -> None:
    assert {name: usual.port_number for name, usual in shipped().items()} == {
        "alertmanager": 9093,
        "amd-device-metrics": 5000,
        "intel-gaudi": 41611,
        "kube-state-metrics": 8080,
        "node-exporter": 9100,
        "nvidia-dcgm": 9400,
        "prometheus": 9090,
        "pushgateway": 9091,
        "triton": 8002,
        "vllm": 8000,
    }
    assert {usual.path for usual in shipped().values()} == {"/metrics"}


def test_services_have_the_labels_of_their_charts_and_operators() -> None:
    found = {
        name: (usual.namespace, dict(usual.selector), usual.port)
        for name, usual in shipped().items()
        if usual.selector
    }
    assert found == {
        "amd-device-metrics": (
            "kube-amd-gpu",
            {"app.kubernetes.io/service": "default-metrics-exporter"},
            "exporter-port",
        ),
        "kube-state-metrics": (
            "kube-system",
            {"app.kubernetes.io/name": "kube-state-metrics"},
            "http-metrics",
        ),
        "nvidia-dcgm": ("gpu-operator", {"app": "nvidia-dcgm-exporter"}, "gpu-metrics"),
        "prometheus": (None, {"operated-prometheus": "true"}, "web"),
    }


def test_profiling_fields_that_go_together() -> None:
    fp64, fp16 = ("DCGM_FI_PROF_PIPE_FP64_ACTIVE",), ("DCGM_FI_PROF_PIPE_FP16_ACTIVE",)
    assert {each.on: each.groups for each in of("nvidia-dcgm").multiplexed} == {
        ("T4-16GB",): (SM, fp64, fp16),
        ("A10-24GB",): (SM, fp16),
        ("hopper", "blackwell"): (),
    }


def test_what_is_multiplexed_is_a_metric_in_one_group_on_known_hardware() -> None:
    hardware = {
        name for model in catalog.gpu_models().values() for name in (model.name, model.architecture)
    }
    for name in NAMES:
        known = {metric.name for metric in of(name).metrics}
        for each in of(name).multiplexed:
            fields = [field for group in each.groups for field in group]
            assert len(set(fields)) == len(fields)
            assert set(fields) <= known
            assert set(each.on) <= hardware
