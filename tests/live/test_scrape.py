"""The generated scrape on real servers: targets, labels and limits are what the specs say."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from gpuobs.budget import census
from gpuobs.ir import Program
from gpuobs.promql.relabel import Step, relabelled
from gpuobs.simulate.series import known_values, series
from gpuobs.simulate.server import serving, simulation
from gpuobs.world import FleetWorld, world
from tests.live.fleets import built, project, scraping
from tests.live.servers import VERSIONS, Server, prometheus

FLEET: Mapping[str, Any] = {
    "apiVersion": "gpuobs/v1",
    "kind": "Fleet",
    "name": "scraped",
    "scrapeInterval": "5s",
    "evaluationInterval": "10s",
    "exporters": [
        {
            "catalog": "nvidia-dcgm",
            "job": "dcgm-exporter",
            "version": "4.5.3-4.8.2",
            "collect": [
                "default",
                "profiling",
                "clocks",
                "power-limits",
                "DCGM_FI_DEV_GPU_TEMP_LIMIT",
                "DCGM_EXP_GPU_HEALTH_STATUS",
            ],
            "targetLabels": {"region": "eu"},
            "metricRelabelings": [{"action": "labeldrop", "regex": "pci_bus_id|err_msg"}],
        },
        {"catalog": "amd-device-metrics", "job": "amd-gpu-exporter", "collect": ["default"]},
        {"catalog": "kube-state-metrics", "job": "kube-state-metrics", "honorLabels": True},
        {"catalog": "prometheus", "job": "prometheus"},
    ],
    "clusters": [
        {
            "name": "live",
            "pools": [
                {"name": "h100", "gpu": "H100-SXM5-80GB", "nodes": 2, "gpusPerNode": 8},
                {
                    "name": "a100",
                    "gpu": "A100-SXM4-40GB",
                    "nodes": 1,
                    "gpusPerNode": 8,
                    "mig": {"1g.5gb": 7},
                },
                {"name": "mi300x", "gpu": "MI300X-192GB", "nodes": 1, "gpusPerNode": 8},
            ],
            "workloads": {"podLifetime": "1000d"},
        }
    ],
}
BUDGET: Mapping[str, Any] = {
    "apiVersion": "gpuobs/v1",
    "kind": "Budget",
    "name": "scraped",
    "limits": {"headroom": 0},
    "labels": {"values": {"key": 2, "daemonset": 3, "alertmanager": 1, "afid_index": 1}},
}


@dataclass
class Run:
    """One fleet behind two servers, and a third whose limit for GPUs is one sample too low."""

    program: Program
    url: str
    config: dict[str, Any]
    servers: dict[str, Server]
    strict: Server


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    folder = tmp_path_factory.mktemp("scraped")
    program = built(project(folder, FLEET, BUDGET), folder / "out")
    assert program.policy is not None
    found = simulation(program.policy)
    with ExitStack() as stack:
        url = stack.enter_context(serving(found))
        config = scraping(folder / "out", "live", url)
        servers = {
            version: stack.enter_context(prometheus(config, folder / version, version=version))
            for version in VERSIONS
        }
        known = known_values(program.policy)
        jobs = [target for target in found.targets if target.job == "dcgm-exporter"]
        most = max(len(list(series(target, known))) for target in jobs)
        lower = [
            {**job, "sample_limit": most - 1} if job["job_name"] == "dcgm-exporter" else job
            for job in config["scrape_configs"]
        ]
        strict = stack.enter_context(
            prometheus({**config, "scrape_configs": lower}, folder / "strict")
        )
        wanted = sum(group.count for group in census.targets(program.policy))
        for server in (*servers.values(), strict):
            server.wait_until(lambda at=server: at.number("count(up)") == wanted, 60)  # type: ignore[misc]
        time.sleep(12)
        yield Run(program, url, config, servers, strict)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_target_is_scraped_whole(run: Run, version: str) -> None:
    server = run.servers[version]
    assert server.number("count(up == 0)") == 0
    said = server.metrics()
    assert said["prometheus_target_scrapes_exceeded_sample_limit_total"] == 0
    assert said["prometheus_target_scrape_pool_exceeded_label_limits_total"] == 0
    assert said["prometheus_target_scrapes_sample_duplicate_timestamp_total"] == 0


@pytest.mark.parametrize("version", VERSIONS)
def test_a_full_target_is_within_its_limit(run: Run, version: str) -> None:
    """Limits are the account's sums without headroom, rounded up: what is free is for events."""
    server = run.servers[version]
    for job in run.config["scrape_configs"]:
        samples = server.number(
            f'max(scrape_samples_post_metric_relabeling{{job="{job["job_name"]}"}})'
        )
        assert samples > 0
        assert samples <= job.get("sample_limit", samples), job["job_name"]
    limited = {job["job_name"] for job in run.config["scrape_configs"] if "sample_limit" in job}
    assert limited == {"dcgm-exporter", "amd-gpu-exporter", "prometheus"}


def test_one_sample_beyond_its_limit_a_target_is_lost_as_a_whole(run: Run) -> None:
    assert run.strict.query('count by (pool) (up{job="dcgm-exporter"} == 0)') == [
        ({"pool": "a100"}, 1.0)
    ]
    assert run.strict.query('count({__name__=~"DCGM.+", pool="a100"})') == []
    assert run.strict.number('count(up{pool="h100"} == 1)') == 2


@pytest.mark.parametrize("version", VERSIONS)
def test_labels_are_those_that_the_analysis_claims(run: Run, version: str) -> None:
    known, wrong = world(run.program), set()
    policy = run.program.policy
    assert policy is not None
    lines = [line for line in census.lines(policy) if line.active]
    names = {line.name for line in lines}
    seen = set()
    for labels in run.servers[version].api("series", **{"match[]": '{__name__=~".+"}'}):
        name = labels.pop("__name__")
        if name in names or name in census.OF_A_SCRAPE:
            seen.add(name)
            wrong |= {(name, *each) for each in _unclaimed(known, name, labels)}
    assert wrong == set()
    # A Prometheus' own series are those of its rule groups, which are not simulated.
    assert {name for name in names if not name.startswith("prometheus_")} <= seen


def _unclaimed(
    known: FleetWorld, name: str, labels: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    shape = known.metric(name)
    assert shape is not None, name
    yield from (("missing", label) for label in shape.labels.certain - labels.keys())
    yield from (("not possible", each) for each in labels if not shape.labels.can_have(each))
    for label, values in shape.labels.values.items():
        if label in labels and labels[label] not in values:
            yield f"{label} is not one of {sorted(values)}", labels[label]


@pytest.mark.parametrize("version", VERSIONS)
def test_our_relabelling_of_targets_is_that_of_prometheus(run: Run, version: str) -> None:
    expected = {}
    for job in run.config["scrape_configs"]:
        for group in _discovered(f"{run.url}/sd/{job['job_name']}"):
            (address,) = group["targets"]
            expected[job["job_name"], address] = _target(job, address, group["labels"])
    active = run.servers[version].api("targets")["activeTargets"]
    assert {
        (each["scrapePool"], each["labels"]["instance"]): each["labels"] for each in active
    } == (expected)


def _discovered(url: str) -> list[dict[str, Any]]:
    with urllib.request.urlopen(url, timeout=10) as answer:
        found: list[dict[str, Any]] = json.load(answer)
    return found


def _target(job: Mapping[str, Any], address: str, meta: Mapping[str, str]) -> dict[str, str]:
    """A target's labels as scrape/target.go makes them, with our own relabelling."""
    labels = {**meta, "__address__": address, "job": job["job_name"]}
    found = relabelled(labels, [_step(each) for each in job["relabel_configs"]])
    assert found is not None
    found.setdefault("instance", found["__address__"])
    return {label: value for label, value in found.items() if not label.startswith("__")}


def _step(written: Mapping[str, Any]) -> Step:
    names = {"source_labels": "sources", "target_label": "target"}
    values = {names.get(key, key): value for key, value in written.items()}
    return Step(**{**values, "sources": tuple(values.get("sources", ()))})
