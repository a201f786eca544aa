"""Fleets that a real Prometheus scrapes: small, and each with something that multiplies series."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from gpuobs.ir import Program
from gpuobs.pipeline import compile_project

ROOT = Path(__file__).parents[2]
SCRAPE, EVALUATE = "5s", "5s"

_NVIDIA = {
    "catalog": "nvidia-dcgm",
    "job": "dcgm-exporter",
    "version": "4.5.3-4.8.2",
    "collect": ["default", "profiling", "clocks", "power-limits", "DCGM_FI_DEV_GPU_TEMP_LIMIT"],
}
_AMD = {"catalog": "amd-device-metrics", "job": "amd-gpu-exporter", "collect": ["default"]}
# Pods that outlive a test, so that each series is there from its beginning to its end.
_PODS = {"podsPerGpu": 1, "podLifetime": "1000d", "identity": "dcgm-pod-labels"}
_H100 = {"name": "h100", "gpu": "H100-SXM5-80GB", "nodes": 8, "gpusPerNode": 8}
_A100 = {
    "name": "a100",
    "gpu": "A100-SXM4-40GB",
    "nodes": 3,
    "gpusPerNode": 8,
    "mig": {"1g.5gb": 7},
}
_MI300 = {"name": "mi300x", "gpu": "MI300X-192GB", "nodes": 2, "gpusPerNode": 8}


def _fleet(
    name: str, pools: list[Any], workloads: Mapping[str, Any] = _PODS, exporters: Any = (_NVIDIA,)
) -> dict[str, Any]:
    return {
        "apiVersion": "gpuobs/v1",
        "kind": "Fleet",
        "name": name,
        "scrapeInterval": SCRAPE,
        "evaluationInterval": EVALUATE,
        "exporters": [*exporters],
        "clusters": [{"name": "live", "pools": pools, "workloads": dict(workloads)}],
        "storage": {
            "replicas": 1,
            "longTerm": {"kind": "mimir", "levels": ["workload", "node", "cluster"]},
        },
    }


_LINKS = {**_NVIDIA, "collect": [*_NVIDIA["collect"], "per-link"]}
FLEETS: Mapping[str, dict[str, Any]] = {
    "plain": _fleet("plain", [_H100], {**_PODS, "identity": "none"}),
    "mig": _fleet("mig", [{**_H100, "nodes": 2}, _A100]),
    "time-slicing": _fleet("time-slicing", [{**_H100, "nodes": 3}], {**_PODS, "podsPerGpu": 3}),
    "two-vendors": _fleet(
        "two-vendors", [{**_H100, "nodes": 3}, _MI300], exporters=(_NVIDIA, _AMD)
    ),
    "churn": _fleet("churn", [{**_H100, "nodes": 2}], {**_PODS, "podLifetime": "40s"}),
    "links": _fleet("links", [{**_H100, "nodes": 2}], exporters=(_LINKS,)),
}


def project(folder: Path, fleet: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> Path:
    """Specs of a fleet with the reference policy's rollups, as far as it collects what they read."""
    specs = folder / "specs"
    (specs / "rollups").mkdir(parents=True)
    (specs / "fleet.yaml").write_text(yaml.safe_dump(dict(fleet), sort_keys=False))
    shutil.copy(ROOT / "specs" / "tiers.yaml", specs)
    for name in ("utilization", "memory", "thermal", "power-and-energy"):
        shutil.copy(ROOT / "specs" / "rollups" / f"{name}.yaml", specs / "rollups")
    if more is not None:
        (specs / "more.yaml").write_text(yaml.safe_dump(dict(more), sort_keys=False))
    return specs


# What the reference policy says of services of which its specs do not count the queues, models and tenants, and of what
# pods ask for, which the simulation does not say.
_UNCOUNTED = {
    "alerts": "alertmanager capacity efficiency gpu-operator inference long-term-store queueing runai training triton-and-tgi",
    "rollups": "demand",
    "slos": "inference monitoring",
}
COUNTED = (
    "nvidia-dcgm",
    "amd-device-metrics",
    "kube-state-metrics",
    "node-exporter",
    "prometheus",
)


def reference(folder: Path) -> Path:
    """The reference policy on a small fleet, as far as its series can be counted, scraped and evaluated three times as often."""
    specs = folder / "specs"
    shutil.copytree(ROOT / "specs", specs)
    for kind, names in _UNCOUNTED.items():
        for name in names.split():
            (specs / kind / f"{name}.yaml").unlink()
    fleet = yaml.safe_load((specs / "fleet.yaml").read_text())
    fleet |= {"scrapeInterval": "5s", "evaluationInterval": "20s"}
    fleet["exporters"] = [each for each in fleet["exporters"] if each["catalog"] in COUNTED]
    first = fleet["clusters"][0]
    first["pools"] = [{**pool, "nodes": min(pool["nodes"], 4)} for pool in first["pools"]]
    first["workloads"]["podLifetime"] = "1000d"
    (specs / "fleet.yaml").write_text(yaml.safe_dump(fleet, sort_keys=False))
    budget = yaml.safe_load((specs / "budget.yaml").read_text())
    for label in ("user", "workload_id", "project"):
        del budget["labels"]["values"][label]
    (specs / "budget.yaml").write_text(yaml.safe_dump(budget, sort_keys=False))
    return specs


def built(specs: Path, out: Path) -> Program:
    """The compiled program, with what it writes in a folder."""
    done = compile_project(specs)
    assert done.program is not None, done.diagnostics
    assert not [d for d in done.diagnostics if d.severity == "error"], done.diagnostics
    for artifact in done.artifacts:
        path = out / artifact.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(artifact.content)
    return done.program


def scraping(out: Path, cluster: str, url: str, remote: str = "") -> dict[str, Any]:
    """The generated configuration, with the simulation for Kubernetes and nothing else changed."""
    file = out / "scrape" / cluster / "prometheus.yml"
    config: dict[str, Any] = yaml.safe_load(file.read_text())
    config["rule_files"] = [str((file.parent / each).resolve()) for each in config["rule_files"]]
    for job in config["scrape_configs"]:
        del job["kubernetes_sd_configs"]
        found = f"{url}/sd/{job['job_name']}?cluster={cluster}"
        job["http_sd_configs"] = [{"url": found, "refresh_interval": "5s"}]
        job["proxy_url"] = url
    if remote:
        config["remote_write"][0]["url"] = remote
    else:
        config.pop("remote_write", None)
    return config
