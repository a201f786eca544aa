"""The seed's whiteboard: fleets whose series can be counted in one's head."""

from __future__ import annotations

from pathlib import Path

TIERS = """\
apiVersion: gpuobs/v1
kind: Tiers
name: default
tiers: {page: {severity: critical}}
owners: {infra: {page: pagerduty}}
"""


def whiteboard(folder: Path, *, nodes: int, gpus: int, metrics: int, more: str = "") -> Path:
    """Specs of one pool, whose exporter writes so many metrics of each GPU and nothing else.

    `more` are further metrics, as lines of the catalog.
    """
    specs = folder / "specs"
    specs.mkdir(parents=True)
    names = "".join(
        f"  - {{name: gpu_metric_{number:03}, kind: gauge, groups: [default]}}\n"
        for number in range(metrics)
    )
    (specs / "catalog.yaml").write_text(
        "apiVersion: gpuobs/v1\nkind: MetricCatalog\nname: whiteboard\nvendor: nvidia\n"
        "identity: {node: host, gpu: gpu, gpu_uuid: uuid, model: model}\n"
        f"entityLabels: {{gpu: [gpu, uuid, model, host]}}\nmetrics:\n{names}{more}"
    )
    (specs / "fleet.yaml").write_text(
        "apiVersion: gpuobs/v1\nkind: Fleet\nname: whiteboard\nscrapeInterval: 15s\n"
        "exporters: [{catalog: whiteboard, job: gpus}]\n"
        "clusters:\n  - name: one\n    pools:\n"
        f"      - {{name: all, gpu: H100-SXM5-80GB, nodes: {nodes}, gpusPerNode: {gpus}}}\n"
        "    workloads: {identity: none}\n"
    )
    (specs / "tiers.yaml").write_text(TIERS)
    return specs
