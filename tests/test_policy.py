"""What the fleet collects, by the names that its series have."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuobs import catalog, pipeline
from gpuobs.exporters import series_of
from gpuobs.policy import Collected, Policy
from gpuobs.spec.model import Metric
from tests.projects import project

FLEET = """\
exporters:
  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc]}
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
  - {catalog: kube-state-metrics, job: kube-state-metrics}
  - {catalog: prometheus, job: prometheus}
  - {catalog: vllm, job: vllm}
  - {catalog: triton, job: triton, collect: [default, nv_inference_queue_summary_us]}
"""
LATENCY = "vllm:e2e_request_latency_seconds"
QUEUE = "nv_inference_queue_summary_us"


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    specs = project(tmp_path_factory.mktemp("project"), FLEET)
    done = pipeline.check_project(specs)
    assert done.program is not None, done.diagnostics
    assert done.program.policy is not None
    return done.program.policy


def part(policy: Policy, name: str) -> Collected:
    found = policy.collected[name]
    assert found.name == name
    return found


def metric(catalog_name: str, name: str) -> Metric:
    found = catalog.metric_catalog(catalog_name)
    assert found is not None
    return next(metric for metric in found.metrics if metric.name == name)


def test_a_histogram_is_collected_as_its_buckets_sum_and_count(policy: Policy) -> None:
    assert LATENCY not in policy.collected
    bucket = part(policy, f"{LATENCY}_bucket")
    total = part(policy, f"{LATENCY}_sum")
    count = part(policy, f"{LATENCY}_count")
    assert {"model_name", "engine", "instance", "cluster"} <= total.labels
    assert bucket.labels == total.labels | {"le"}
    assert count.labels == total.labels
    assert [part.metric.kind for part in (bucket, total, count)] == ["counter"] * 3
    assert [part.metric.unit for part in (bucket, total, count)] == ["events", "seconds", "events"]
    assert [part.metric.integer for part in (bucket, total, count)] == [True, False, True]


def test_a_summary_is_collected_as_its_quantiles_sum_and_count(policy: Policy) -> None:
    quantiles = part(policy, QUEUE)
    total = part(policy, f"{QUEUE}_sum")
    count = part(policy, f"{QUEUE}_count")
    assert {"model", "version"} <= total.labels
    assert quantiles.labels == total.labels | {"quantile"}
    assert count.labels == total.labels
    assert [part.metric.kind for part in (quantiles, total, count)] == [
        "gauge",
        "counter",
        "counter",
    ]
    assert [part.metric.unit for part in (quantiles, total)] == ["microseconds"] * 2
    assert count.metric.unit == "events"
    assert f"{QUEUE}_bucket" not in policy.collected


def test_what_is_not_collected_has_no_series(policy: Policy) -> None:
    assert "nv_inference_request_summary_us_sum" not in policy.collected
    assert "vllm:gpu_cache_usage_perc" not in policy.collected


def test_other_metrics_are_one_series_and_labels_none() -> None:
    gauge = metric("vllm", "vllm:num_requests_waiting")
    assert list(series_of(gauge.name, gauge)) == [(gauge.name, gauge)]
    dcgm = catalog.metric_catalog("nvidia-dcgm")
    assert dcgm is not None
    label = next(metric for metric in dcgm.metrics if metric.kind == "label")
    assert list(series_of(label.name, label)) == []


def test_an_alias_gives_all_series_its_spelling() -> None:
    histogram = metric("vllm", LATENCY)
    assert [name for name, _ in series_of("other", histogram)] == [
        "other_bucket",
        "other_sum",
        "other_count",
    ]


def test_alerts_may_read_quantiles_of_a_histogram(tmp_path: Path) -> None:
    specs = project(tmp_path, FLEET)
    (specs / "alerts.yaml").write_text(
        f"""\
apiVersion: gpuobs/v1
kind: Rollups
name: latency
rules:
  - record: cluster_model:e2e_latency:p99_5m
    expr: histogram_quantile(0.99, sum by (cluster, model_name, le) (rate({LATENCY}_bucket[5m])))
    unit: seconds
""",
        encoding="utf-8",
    )
    done = pipeline.check_project(specs)
    assert [finding.code for finding in done.diagnostics if finding.severity == "error"] == []
    (specs / "alerts.yaml").write_text(
        (specs / "alerts.yaml").read_text(encoding="utf-8").replace("_bucket[", "["),
        encoding="utf-8",
    )
    done = pipeline.check_project(specs)
    assert "promql/unknown-metric" in [finding.code for finding in done.diagnostics]
