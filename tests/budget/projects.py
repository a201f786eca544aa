"""Fleets of round numbers, whose series can be counted by hand."""

from __future__ import annotations

from pathlib import Path

from gpuobs.ir import Program
from gpuobs.pipeline import check_project

_SPECS = """\
apiVersion: gpuobs/v1
kind: MetricCatalog
name: ours
vendor: nvidia
identity: {{node: Hostname, gpu: gpu, gpu_uuid: UUID, model: modelName}}
entityLabels: {{gpu: [Hostname, gpu, UUID, modelName]}}
workloadLabels: [namespace, pod]
metrics:
{metrics}
---
apiVersion: gpuobs/v1
kind: Fleet
name: whiteboard
exporters:
  - {{catalog: ours, job: ours, collect: [hardware{collect}]}}
{intervals}clusters:
  - name: one
    pools:
{pools}
    workloads: {workloads}
{storage}---
apiVersion: gpuobs/v1
kind: Tiers
name: default
tiers: {{page: {{severity: critical}}}}
owners: {{infra: {{page: pager}}}}
---
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {limits}
"""
POOL = "      - {{name: {name}, gpu: H100-SXM5-80GB, nodes: {nodes}, gpusPerNode: 8}}"
ECC = "  - {name: gpu_ecc_correct, kind: counter, unit: errors, labels: [block], each: {block: 40}}"


def whiteboard(
    folder: Path,
    *,
    nodes: int = 1000,
    metrics: int = 60,
    ecc: bool = False,
    limits: str = "{}",
    pools: str = "",
    storage: str = "",
    intervals: str = "",
    workloads: str = "{identity: none}",
) -> Program:
    """Nodes of 8 GPUs whose exporter writes some metrics, and nothing else."""
    names = [f"  - {{name: gpu_{n}, kind: gauge, groups: [hardware]}}" for n in range(metrics)]
    text = _SPECS.format(
        metrics="\n".join([*names, ECC]),
        collect=", gpu_ecc_correct" if ecc else "",
        pools=pools or POOL.format(name="h100", nodes=nodes),
        limits=limits,
        storage=storage,
        intervals=intervals,
        workloads=workloads,
    )
    for number, document in enumerate(text.split("---\n")):
        (folder / f"{number}.yaml").write_text(document, encoding="utf-8")
    done = check_project(folder)
    assert done.program is not None, done.diagnostics
    return done.program
