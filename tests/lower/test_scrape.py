"""Scrape jobs: limits that a full fleet keeps to, and relabelling that gives what rules are written for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuobs.budget.ledger import ledger
from gpuobs.lower.scrape import rounded_up
from gpuobs.pipeline import compile_project
from gpuobs.plan import ScrapeJob
from gpuobs.promql.relabel import relabelled
from gpuobs.simulate.entities import targets
from gpuobs.simulate.series import known_values, series
from tests.projects import project

BUDGET = """\
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {headroom: 0}
"""
DCGM = """\
exporters:
  - {catalog: nvidia-dcgm, job: gpus, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc]%s}
  - {catalog: amd-device-metrics, job: amd}
  - {catalog: kube-state-metrics, job: kube%s}
"""


def jobs(folder: Path, fleet: str, budget: str = BUDGET) -> dict[str, ScrapeJob]:
    done = compile_project(project(folder, f"{fleet}\n---\n{budget}"))
    assert done.program is not None, done.diagnostics
    (cluster,) = done.program.collection.clusters
    assert ledger(done.program).clusters[0].name == cluster.cluster
    return {job.name: job for job in cluster.jobs}


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0, 0), (7.2, 8), (100, 100), (101, 110), (3360, 3400), (123456, 130000)],
)
def test_limits_have_two_digits(value: float, expected: int) -> None:
    assert rounded_up(value) == expected


def test_the_pool_with_most_series_on_a_node_sets_the_limit(tmp_path: Path) -> None:
    """Seven MIG instances on each GPU, each with its own series."""
    fleet = DCGM % ("", "") + (
        "clusters:\n"
        "  - name: one\n"
        "    pools:\n"
        "      - {name: plain, gpu: A100-SXM4-40GB, nodes: 4, gpusPerNode: 8}\n"
        "      - {name: cut, gpu: A100-SXM4-40GB, nodes: 2, gpusPerNode: 8, mig: {1g.5gb: 7}}\n"
    )
    done = compile_project(project(tmp_path, f"{fleet}\n---\n{BUDGET}"))
    assert done.program is not None
    assert done.program.policy is not None
    known = known_values(done.program.policy)
    made = {
        str(target.node.pool.name): len(list(series(target, known)))
        for target in targets(done.program.policy)
        if target.node is not None
    }
    assert made["cut"] > 5 * made["plain"]
    (job,) = [j for j in done.program.collection.clusters[0].jobs if j.name == "gpus"]
    # What the exporter writes before anything happens, and what XIDs add.
    assert job.limits.samples is not None
    assert made["cut"] <= job.limits.samples <= 1.2 * made["cut"]


def test_where_nobody_bounds_a_label_there_is_no_limit(tmp_path: Path) -> None:
    found = jobs(tmp_path, DCGM % ("", ""))["amd"].limits
    assert found.samples is None
    assert found.notes[0] == (
        "no sample limit: nobody bounds afid_index; say it in the Budget's labels.values"
    )
    known = BUDGET + "labels: {values: {afid_index: 5}}\n"
    assert jobs(tmp_path / "known", DCGM % ("", ""), known)["amd"].limits.samples is not None


def test_pods_that_hold_no_gpu_are_not_counted_and_so_not_limited(tmp_path: Path) -> None:
    found = jobs(tmp_path, DCGM % ("", ""))["kube"].limits
    assert found.samples is None
    assert found.notes[0] == (
        "no sample limit: it writes of every pod, and the Fleet says how many hold GPUs"
    )


def stored(job: ScrapeJob, **labels: str) -> dict[str, str] | None:
    """A series after relabelling, whose first step is too long a pattern for the simulation."""
    keep, *rest = job.metric_relabelings
    assert (keep.action, keep.sources) == ("keep", ("__name__",))
    kept = re.fullmatch(keep.regex, labels["__name__"])
    return relabelled(labels, rest) if kept else None


def test_only_what_is_collected_is_stored(tmp_path: Path) -> None:
    job = jobs(tmp_path, DCGM % ("", ""))["gpus"]
    series = {"__name__": "DCGM_FI_DEV_GPU_TEMP", "gpu": "0"}
    assert stored(job, **series) == series
    assert stored(job, __name__="DCGM_FI_DEV_GPU_TEMP_LIMIT") is None
    assert stored(job, __name__="go_goroutines") is None


def test_a_label_that_the_fleet_calls_otherwise_is_renamed(tmp_path: Path) -> None:
    job = jobs(tmp_path, DCGM % (", labels: {node: node, cluster: k8s_cluster}", ""))["gpus"]
    assert job.labels == {"k8s_cluster": "one", "pool": ""}
    series = {"__name__": "DCGM_FI_DEV_GPU_TEMP", "gpu": "0", "Hostname": "n1"}
    assert stored(job, **series) == {"__name__": series["__name__"], "gpu": "0", "node": "n1"}


def test_two_exporters_with_one_job_are_two_jobs(tmp_path: Path) -> None:
    fleet = (DCGM % ("", "")).replace("job: kube", "job: gpus")
    found = jobs(tmp_path, fleet)
    assert {name: job.job for name, job in found.items()} == {
        "gpus/nvidia-dcgm": "gpus",
        "gpus/kube-state-metrics": "gpus",
        "amd": "amd",
    }


def test_who_is_not_found_anywhere_is_said(tmp_path: Path) -> None:
    fleet = DCGM % ("", "") + "  - {catalog: kueue, job: kueue}\n"
    assert jobs(tmp_path, fleet)["kueue"].notes == (
        "nobody says where it is found: namespace, selector and port are guesses until it has an 'endpoint'",
    )
