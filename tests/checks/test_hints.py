"""Hints as people use them: pasted in the place of what is wrong, after which nothing is found any more."""

from __future__ import annotations

import json

import pytest

from gpuobs.diagnostics import Diagnostic
from tests.rule_files import findings

CLUSTERS = """\
clusters:
  - name: one
    pools:
      - {name: h100, gpu: H100-SXM5-80GB, nodes: 50, gpusPerNode: 8}
      - {name: mi300x, gpu: MI300X-192GB, nodes: 4, gpusPerNode: 8}
"""
NVIDIA = (
    "  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, "
    "collect: [default, profiling, memory, ecc, clock-events%s]}\n"
)
OTHERS = """\
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
  - {catalog: kube-state-metrics, job: kube-state-metrics, honorLabels: true, collect: [default, labels, annotations]}
"""
FLEET = f"exporters:\n{NVIDIA % ', exp'}{OTHERS}{CLUSTERS}"
WITHOUT_EXP = f"exporters:\n{NVIDIA % ''}{OTHERS}{CLUSTERS}"
WITHOUT_ERR_CODE = WITHOUT_EXP.replace("version: 4.5.3-4.8.2", "version: 3.3.5-3.4.1")
NOT_HONOURED = FLEET.replace("honorLabels: true, ", "")

XID, TEMP, POWER = "DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_POWER_USAGE"
GONE = f"max by (Hostname, gpu, UUID) ({TEMP} offset 15m) unless on (UUID) {TEMP}"
RENAMED = f'label_replace({TEMP}, "node", "$1", "Hostname", "(.*)")'
POWER_BY_NODE = f'label_replace({POWER} > 600, "node", "$1", "Hostname", "(.*)")'


def told(expr: str, label: str = "", record: str = "", fleet: str = FLEET) -> list[Diagnostic]:
    """What every check says of one rule, an alert whose summary has a label, or a record."""
    rule: dict[str, object] = {"record": record, "expr": expr}
    if not record:
        summary = f"{{{{ $labels.{label} }}}}" if label else "a summary"
        rule = {"alert": "Example", "expr": expr, "annotations": {"summary": summary}}
    file = json.dumps({"groups": [{"name": "example", "rules": [rule]}]})
    return findings({"rules.yml": file}, fleet)


# Expression, label of the summary, fleet; what the hint says to write, and the rule with that in it, with its label.
PASTED = [
    # Latched codes.
    (f"{XID} == 79", "gpu", FLEET, 'DCGM_EXP_XID_ERRORS_COUNT{xid="79"} > 0', "", "gpu"),
    (
        f'{XID}{{Hostname="n1"}} == 79',
        "gpu",
        FLEET,
        'DCGM_EXP_XID_ERRORS_COUNT{xid="79", Hostname="n1"} > 0',
        "",
        "gpu",
    ),
    (
        f'{XID}{{err_code="79"}} > 0',
        "gpu",
        FLEET,
        'DCGM_EXP_XID_ERRORS_COUNT{xid="79"} > 0',
        "",
        "gpu",
    ),
    (
        f"{XID} == 79",
        "gpu",
        WITHOUT_EXP,
        f"{XID} == 79 unless on (UUID) {XID} offset 5m == 79",
        "",
        "gpu",
    ),
    (
        f"{XID} > 0",
        "gpu",
        WITHOUT_EXP,
        f"{XID} != 0 unless on (UUID) {XID} offset 5m != 0",
        "",
        "gpu",
    ),
    (
        f"{XID} == 79",
        "gpu",
        WITHOUT_ERR_CODE,
        f"{XID} == 79 and changes({XID}[5m]) > 0",
        "",
        "gpu",
    ),
    # What is gone.
    (f'absent({TEMP}{{gpu="0"}})', "", FLEET, GONE, "", "gpu"),
    (f"absent({TEMP})", "gpu", FLEET, GONE, "", "gpu"),
    (f"{TEMP} offset 10m unless {TEMP}", "gpu", FLEET, GONE, "", "gpu"),
    (
        f"absent({TEMP})",
        "pod",
        FLEET,
        f"max by (Hostname, gpu, UUID, exported_pod) ({TEMP} offset 15m) unless on (UUID) {TEMP}",
        "",
        "exported_pod",
    ),
    (
        'absent(up{job="dcgm-exporter"})',
        "instance",
        FLEET,
        'up{job="dcgm-exporter"} == 0',
        "",
        "instance",
    ),
    # Joins.
    (
        f"max by (node, gpu) ({RENAMED}) > 80 and {POWER} > 600",
        "node",
        FLEET,
        f"and on (gpu, node) {POWER_BY_NODE}",
        f"max by (node, gpu) ({RENAMED}) > 80 and on (gpu, node) {POWER_BY_NODE}",
        "node",
    ),
    (
        f"max by (node, gpu) ({RENAMED}) > 80 and on (gpu) {POWER} > 600",
        "node",
        FLEET,
        f"on (node, gpu) {POWER_BY_NODE}",
        f"max by (node, gpu) ({RENAMED}) > 80 and on (node, gpu) {POWER_BY_NODE}",
        "node",
    ),
    (
        f"max by (Hostname, gpu) ({TEMP}) * avg by (gpu) ({POWER}) > 9000",
        "gpu",
        FLEET,
        f"avg by (Hostname, gpu) ({POWER})",
        f"max by (Hostname, gpu) ({TEMP}) * avg by (Hostname, gpu) ({POWER}) > 9000",
        "gpu",
    ),
    # Labels in templates.
    (
        "avg by (namespace) (DCGM_FI_DEV_GPU_UTIL) < 10",
        "pod",
        FLEET,
        "avg by (exported_namespace, exported_pod) (DCGM_FI_DEV_GPU_UTIL)",
        "avg by (exported_namespace, exported_pod) (DCGM_FI_DEV_GPU_UTIL) < 10",
        "exported_pod",
    ),
    (
        f"max by (gpu, UUID) ({TEMP}) > 90",
        "node",
        FLEET,
        f"max by (gpu, UUID, Hostname) ({TEMP})",
        f"max by (gpu, UUID, Hostname) ({TEMP}) > 90",
        "Hostname",
    ),
    # Values of labels.
    (
        f'{TEMP}{{modelName=~"H100"}} > 90',
        "gpu",
        FLEET,
        'modelName=~".*H100.*"',
        f'{TEMP}{{modelName=~".*H100.*"}} > 90',
        "gpu",
    ),
    (
        f'{TEMP}{{modelName="H100"}} > 90',
        "gpu",
        FLEET,
        'modelName=~".*H100.*"',
        f'{TEMP}{{modelName=~".*H100.*"}} > 90',
        "gpu",
    ),
    # Workloads.
    (
        f'{TEMP} and on (namespace, pod) kube_pod_status_phase{{phase="Running"}} == 1',
        "gpu",
        FLEET,
        f'label_replace(label_replace({TEMP}, "namespace", "$1", "exported_namespace", "(.*)"), '
        '"pod", "$1", "exported_pod", "(.*)")',
        f'label_replace(label_replace({TEMP}, "namespace", "$1", "exported_namespace", "(.*)"), '
        '"pod", "$1", "exported_pod", "(.*)") > 90 '
        'and on (namespace, pod) kube_pod_status_phase{phase="Running"} == 1',
        "gpu",
    ),
]


@pytest.mark.parametrize(("expr", "label", "fleet", "hint", "pasted", "kept"), PASTED)
def test_a_hint_is_right_when_it_is_pasted(
    expr: str, label: str, fleet: str, hint: str, pasted: str, kept: str
) -> None:
    said = [finding.hint for finding in told(expr, label, fleet=fleet)]
    assert any(hint in each for each in said), said
    assert hint in (pasted or hint)
    assert told(pasted or hint, kept, fleet=fleet) == []


FB = "sum by (Hostname) (DCGM_FI_DEV_FB_USED)"
RECORDS = [
    ("node:fb:used_bytes", f"{FB} * 1e6", f"{FB} * 1048576"),
    ("node:fb:used_bytes", f"({FB} + 1) * 1e6", f"({FB} + 1) * 1048576"),
    ("node:fb:used_bytes", FB, f"({FB}) * 1048576"),
]


@pytest.mark.parametrize(("record", "expr", "pasted"), RECORDS)
def test_a_unit_is_told_once_and_its_hint_can_be_pasted(
    record: str, expr: str, pasted: str
) -> None:
    (finding,) = told(expr, record=record)
    assert f"'{pasted}'" in finding.hint
    assert told(pasted, record=record) == []


def codes(found: list[Diagnostic]) -> list[str]:
    return [finding.code for finding in found]


LABELS = "max by (namespace, pod, label_team) (kube_pod_labels)"
WORKLOAD = (
    'label_replace(label_replace(DCGM_FI_DEV_GPU_UTIL{exported_pod!=""}, "pod", "$1", "exported_pod", "(.*)"), '
    '"namespace", "$1", "exported_namespace", "(.*)")'
)
SILENT = [
    f"{WORKLOAD} * on (namespace, pod) group_left (label_team) {LABELS}",
    'sum by (label_team) (kube_pod_labels{label_team=~"a.*"})',
    "count by (annotation_owner) (kube_node_annotations)",
    "count by (label_zone) (kube_node_labels)",
]


@pytest.mark.parametrize("expr", SILENT)
def test_labels_of_pods_and_nodes_are_known_by_how_they_begin(expr: str) -> None:
    assert told(expr, record="a:b:c") == []


def test_a_matcher_on_another_label_of_them_is_told() -> None:
    assert codes(told('kube_pod_labels{team="a"}', record="a:b:c")) == ["promql/unknown-label"]


def test_an_exporter_whose_scrape_may_honour_labels_is_told_how_to_say_so() -> None:
    found = told(
        f"{WORKLOAD} * on (namespace, pod) group_left (label_team) {LABELS}",
        record="a:b:c",
        fleet=NOT_HONOURED,
    )
    assert found
    assert all(
        "'honorLabels: true' of exporter 'kube-state-metrics'" in each.hint for each in found
    )


def test_of_a_join_that_never_matches_only_the_join_is_told() -> None:
    expr = f"max by (node, gpu) ({RENAMED}) > 80 and {POWER} > 600"
    assert codes(told(expr, "node")) == ["promql/join-without-common-label"]


def test_an_exporters_model_names_are_those_of_the_fleet() -> None:
    assert codes(told(f'{TEMP}{{modelName="NVIDIA A100-SXM4-80GB"}} > 80')) == [
        "promql/impossible-matcher"
    ]
    assert told(f'{TEMP}{{modelName=~"NVIDIA A100.*|NVIDIA H100.*"}} > 80') == []
    assert told(f'{TEMP}{{modelName!="NVIDIA A100-SXM4-80GB"}} > 80') == []
    assert told(f'{TEMP}{{modelName="NVIDIA H100 80GB HBM3"}} > 80') == []


def test_a_label_that_a_call_takes_away_is_told_with_the_call() -> None:
    expr = f'sum by (gpu) (label_replace({TEMP}{{Hostname!="a-very-long-name-of-a-node"}}, "gpu", "", "gpu", ".*"))'
    assert [each.message for each in told(expr, record="a:b:c")] == [
        "'gpu' is gone after 'label_replace()'"
    ]


def test_memory_of_a_gpu_is_never_0() -> None:
    assert told("100 * DCGM_FI_DEV_FB_USED / DCGM_FI_DEV_FB_TOTAL > 90") == []
    assert told("DCGM_FI_DEV_FB_USED / DCGM_FI_DEV_FB_TOTAL > 0.9") == []
    assert told("DCGM_FI_DEV_POWER_USAGE / DCGM_FI_DEV_FB_TOTAL > 0.9") == []


def test_each_stricter_threshold_is_told_once() -> None:
    rules = [
        {"alert": f"Busy{at}", "expr": f"DCGM_FI_PROF_SM_ACTIVE > {at}"}
        for at in (0.92, 0.9, 0.93, 0.91)
    ]
    file = json.dumps({"groups": [{"name": "example", "rules": rules}]})
    found = findings({"rules.yml": file}, FLEET)
    assert sorted(each.message.partition(", with")[0] for each in found) == [
        "'Busy0.91' only fires while 'Busy0.9' does",
        "'Busy0.92' only fires while 'Busy0.9' does",
        "'Busy0.93' only fires while 'Busy0.9' does",
    ]
