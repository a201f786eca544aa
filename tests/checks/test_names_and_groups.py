"""Names that nobody writes, label values of no form, groups that mix GPUs, and ratios and temperatures added up."""

from __future__ import annotations

import pytest

from gpuobs.diagnostics import Diagnostic
from tests.checks.alerts import EXPORTERS, ONE_NODE, said

TEMP = "DCGM_FI_DEV_GPU_TEMP"
BY_NODE = "sum by (Hostname) ({}) / sum by (Hostname) ({})"
RECORDS = {
    "node:memory:ratio": BY_NODE.format("DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_TOTAL"),
    "node:other:ratio": BY_NODE.format("a", "b"),
    "DCGM_FI_DEV_MINE": "max by (Hostname) (DCGM_FI_DEV_FB_USED)",
    "gpu:temperature:max": f"max by (Hostname, gpu) ({TEMP})",
}
SUMMED = (
    "sum(sum by (Hostname) (DCGM_FI_DEV_FB_USED)) / sum(sum by (Hostname) (DCGM_FI_DEV_FB_TOTAL))"
)
PORT = "match on the node, or relabel 'instance' to it in both scrapes"
FOUND = {
    "DCGM_FI_DEV_GPU_UTILIZATION > 90": "unknown-metric: did you mean 'DCGM_FI_DEV_GPU_UTIL'?",
    "DCGM_FI_DEV_GPU_UTIl > 90": "unknown-metric: did you mean 'DCGM_FI_DEV_GPU_UTIL'?",
    "increase(DCGM_FI_DEV_XID_ERRORS_TOTAL[5m]) > 0": "unknown-metric: did you mean 'DCGM_FI_DEV_XID_ERRORS'?",
    "DCGM_FI_DEV_PCIE_RX_THROUGHPUT > 1e9": (
        "unknown-metric: write 'DCGM_FI_PROF_PCIE_RX_BYTES': 'DCGM_FI_DEV_PCIE_RX_THROUGHPUT' is a field that DCGM no "
        "longer supports"
    ),
    "dcgm_gpu_temp > 85": (
        "unknown-metric: write 'DCGM_FI_DEV_GPU_TEMP': 'dcgm_gpu_temp' is a name of version 1 of the exporter"
    ),
    'kube_node_status_allocatable{resource="nvidia.com/gpu"} > 3': 'impossible-matcher: write resource="nvidia_com_gpu"',
    'sum(kube_pod_container_resource_requests{resource="amd.com/gpu"}) > 3': (
        'impossible-matcher: write resource="amd_com_gpu"'
    ),
    "avg by (gpu) (DCGM_FI_DEV_GPU_UTIL) > 3": "join-domain: add the node: by (Hostname, gpu)",
    "max by (cluster, pool, gpu) (DCGM_FI_DEV_GPU_TEMP) > 85": (
        "join-domain: add the node: by (cluster, pool, Hostname, gpu)"
    ),
    "avg by (gpu) (gpu:temperature:max) > 85": "join-domain: add the node: by (Hostname, gpu)",
    "avg by (gpu_id) (gpu_gfx_activity) > 5": "join-domain: add the node: by (hostname, gpu_id)",
    f"max by (Hostname, instance) ({TEMP}) * on (instance) group_left (nodename) node_uname_info > 5": f"join-domain: {PORT}",
    "avg(node:memory:ratio) > 0.5": f"mean-of-means: {SUMMED}",
    "sum(node:memory:ratio) > 0.5": f"ratio-aggregated: {SUMMED}",
    f"sum by (Hostname) ({TEMP}) > 640": f"ratio-aggregated: max by (Hostname) ({TEMP})",
}
SILENT = (
    "some_metric > 3",
    "DCGM_CUSTOM_METRIC > 3",
    "DCGM_FI_DEV_MINE > 3",
    "DCGM_FI_DEV_FB_USED > 3",
    'kube_node_status_allocatable{resource="nvidia_com_gpu"} > 3',
    'kube_node_status_allocatable{resource=~"nvidia_com_gpu|nvidia.com/gpu"} > 3',
    'kube_node_status_allocatable{resource!="nvidia.com/gpu"} > 3',
    'other_allocatable{resource="nvidia.com/gpu"} > 3',
    "avg by (Hostname, gpu) (DCGM_FI_DEV_GPU_UTIL) > 3",
    "avg by (gpu, UUID) (DCGM_FI_DEV_GPU_UTIL) > 3",
    "avg by (gpu, exported_pod) (DCGM_FI_DEV_GPU_UTIL) > 3",
    'avg by (gpu) (DCGM_FI_DEV_GPU_UTIL{Hostname="n1"}) > 3',
    'avg by (gpu) (DCGM_FI_DEV_GPU_UTIL{kubernetes_node="n1"}) > 3',
    'avg by (gpu) (DCGM_FI_DEV_GPU_UTIL{exported_pod="a"}) > 3',
    "count by (gpu) (DCGM_FI_DEV_GPU_UTIL) < 4",
    f"max by (Hostname, instance) ({TEMP}) * on (instance) group_left () max by (instance) (DCGM_FI_DEV_GPU_UTIL) > 5",
    "max(node:memory:ratio) > 0.5",
    "sum(node:memory:ratio) / count(node:memory:ratio) > 0.5",
    "avg(node:other:ratio) > 0.5",
    f"sum by (Hostname, gpu) ({TEMP}) > 85",
    f"sum({TEMP}) / count({TEMP}) > 85",
)
CODES = {
    f"promql/{code}"
    for code in (
        "unknown-metric",
        "impossible-matcher",
        "join-domain",
        "mean-of-means",
        "ratio-aggregated",
    )
}


def _said(expr: str, fleet: str = EXPORTERS) -> list[Diagnostic]:
    records = {name: text for name, text in RECORDS.items() if name in expr}
    return [found for found in said(expr, records=records, fleet=fleet) if found.code in CODES]


@pytest.mark.parametrize(("expr", "expected"), FOUND.items())
def test_found(expr: str, expected: str) -> None:
    assert [f"{f.code.removeprefix('promql/')}: {f.hint}" for f in _said(expr)] == [expected]


@pytest.mark.parametrize("expr", SILENT)
def test_silent(expr: str) -> None:
    assert [found.message for found in _said(expr)] == []


def test_the_index_on_a_single_node() -> None:
    assert _said("avg by (gpu) (DCGM_FI_DEV_GPU_UTIL) > 3", ONE_NODE) == []
