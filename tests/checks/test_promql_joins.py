"""Joins, matchers and emptiness, expression by expression: what is told of each, and where nothing is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gpuobs import checks
from gpuobs.diagnostics import Diagnostic
from gpuobs.ir import Program
from gpuobs.policy import Policy
from gpuobs.spec.node import Node, Source
from gpuobs.verify.promtool import Promtool
from tests.promtool import run_tests
from tests.rule_files import findings, program

CHECKED = frozenset(
    "alert/label-conflict promql/absence-as-health promql/absent-labels promql/division-by-zero promql/empty-at-zero "
    "promql/high-fan-out promql/impossible-matcher promql/join-domain promql/join-without-common-label "
    "promql/many-to-many promql/on-nothing promql/or-hides promql/regex-broken promql/regex-unneeded".split()
)
ALERTS = {
    "DCGM_FI_DEV_GPU_TEMP > 80 and DCGM_FI_DEV_POWER_USAGE > 600": "",
    "DCGM_FI_DEV_GPU_TEMP > 80 and on (gpu) DCGM_FI_DEV_POWER_USAGE > 600": "promql/join-domain",
    "DCGM_FI_DEV_GPU_TEMP > 80 and on (Hostname, gpu) DCGM_FI_DEV_POWER_USAGE > 600": "",
    "DCGM_FI_DEV_GPU_TEMP > 80 and on (gpu) max by (gpu) (DCGM_FI_DEV_POWER_USAGE) > 600": "promql/join-domain",
    "DCGM_FI_DEV_GPU_TEMP > 80 and on () DCGM_FI_DEV_POWER_USAGE > 600": "promql/on-nothing",
    "DCGM_FI_DEV_GPU_TEMP > 80 and on () (sum(DCGM_FI_DEV_POWER_USAGE) > 600)": "",
    "DCGM_FI_DEV_GPU_TEMP > 80 and on () vector(1)": "",
    "DCGM_FI_DEV_GPU_TEMP > 80 and on () hour() > 8": "",
    'DCGM_FI_DEV_GPU_TEMP > 80 unless on () ALERTS{alertname="Maintenance"}': "",
    "DCGM_FI_DEV_GPU_TEMP > 80 unless on () (maintenance == 1)": "",
    "DCGM_FI_DEV_GPU_UTIL < 5 and ON() (time() - runai_job_start_time > 1800)": "promql/on-nothing",
    "fetch_success == 0 and ON () (time() - last_success_timestamp_seconds) > 3600": "",
    "pending and on () (day_of_week() <= 5 and day_of_week() >= 1)": "",
    "rounds == 0 and on () (max(paused) == 1)": "",
    "DCGM_FI_DEV_GPU_TEMP > 80 and on () (up == 0)": "promql/on-nothing",
    'DCGM_FI_DEV_GPU_TEMP > 80 and on () (up{job="x"} == 0)': "",
    "sum(DCGM_FI_DEV_GPU_TEMP) > 80 and on () DCGM_FI_DEV_POWER_USAGE > 600": "",
    "DCGM_FI_DEV_GPU_TEMP > 80 and on (cluster) (count by (cluster) (DCGM_FI_DEV_POWER_USAGE) > 3)": "",
    "DCGM_FI_DEV_POWER_USAGE / sum(DCGM_FI_DEV_POWER_USAGE)": "promql/join-without-common-label",
    "DCGM_FI_DEV_POWER_USAGE / on () group_left () sum(DCGM_FI_DEV_POWER_USAGE)": "",
    "DCGM_FI_DEV_POWER_USAGE / scalar(sum(DCGM_FI_DEV_POWER_USAGE))": "",
    "DCGM_FI_DEV_POWER_USAGE / sum by (Hostname) (DCGM_FI_DEV_POWER_USAGE)": "promql/join-without-common-label",
    "DCGM_FI_DEV_POWER_USAGE / on (Hostname) sum by (Hostname) (DCGM_FI_DEV_POWER_USAGE)": "promql/many-to-many",
    "DCGM_FI_DEV_POWER_USAGE / on (Hostname) group_left () sum by (Hostname) (DCGM_FI_DEV_POWER_USAGE)": "",
    "DCGM_FI_DEV_POWER_USAGE / ignoring (gpu) sum without (gpu) (DCGM_FI_DEV_POWER_USAGE)": "",
    "DCGM_FI_DEV_POWER_USAGE * on (Hostname) group_left () DCGM_FI_DEV_GPU_TEMP": "promql/many-to-many",
    "DCGM_FI_DEV_POWER_USAGE * on (Hostname) DCGM_FI_DEV_GPU_TEMP": "promql/many-to-many",
    "DCGM_FI_DEV_POWER_USAGE * on (Hostname) group_left () topk by (Hostname) (1, DCGM_FI_DEV_GPU_TEMP)": "",
    'DCGM_FI_DEV_POWER_USAGE{gpu="0"} * on (Hostname) DCGM_FI_DEV_GPU_TEMP{gpu="0"}': "",
    "DCGM_FI_DEV_POWER_USAGE * on (Hostname, gpu) DCGM_FI_DEV_GPU_TEMP": "",
    "DCGM_FI_DEV_POWER_USAGE * on (UUID) DCGM_FI_DEV_GPU_TEMP": "",
    "DCGM_FI_DEV_POWER_USAGE * on (gpu) DCGM_FI_DEV_GPU_TEMP": "promql/many-to-many",
    "DCGM_FI_DEV_POWER_USAGE * on () DCGM_FI_DEV_GPU_TEMP": "promql/many-to-many",
    "DCGM_FI_DEV_POWER_USAGE * on (Hostname) group_left () (DCGM_FI_DEV_GPU_TEMP > 80)": "promql/many-to-many",
    "DCGM_FI_DEV_POWER_USAGE * on (Hostname) group_left () max by (Hostname) (DCGM_FI_DEV_GPU_TEMP)": "",
    "DCGM_FI_DEV_POWER_USAGE * on (instance) group_left (nodename) node_uname_info": "",
    "x * on (instance) group_left (nodename) node_uname_info": "",
    "x * on (pod, namespace) group_left (node) kube_pod_info": "promql/join-domain promql/many-to-many",
    "x * on (pod, namespace) group_left (node) topk by (pod, namespace) (1, max by (pod, namespace, node) (kube_pod_info))": "promql/join-domain",
    "x * on (exported_pod, exported_namespace) group_left (node) kube_pod_info{node!=''}": "promql/many-to-many",
    "x * on (pod, namespace) group_left (label_team) label_replace(kube_pod_labels, 'a', '$1', 'b', '(.*)')": "promql/many-to-many",
    "x * on (pod, namespace) group_left (label_team) max by (pod, namespace, label_team) (kube_pod_labels)": "",
    "x * on (job, instance) group_left (v) target_info": "",
    "kube_node_info * on (node) kube_node_spec_unschedulable": "",
    'kube_node_status_condition{condition="Ready"} * on (node) kube_node_spec_unschedulable': "promql/many-to-many",
    'kube_node_status_condition{condition="Ready", status="true"} * on (node) kube_node_spec_unschedulable': "",
    '(kube_node_status_condition{condition="Ready"} == 1) * on (node) kube_node_spec_unschedulable': "",
    "x * on (exported_pod, exported_namespace) group_left () kube_pod_status_phase": "promql/many-to-many",
    'x * on (exported_pod, exported_namespace) group_left () kube_pod_status_phase{phase="Running"}': "",
    'DCGM_EXP_GPU_HEALTH_STATUS{health_watch="MEMORY"} > 0': "promql/impossible-matcher",
    'DCGM_EXP_GPU_HEALTH_STATUS{health_watch=~"MEM|NVLINK"} > 0': "",
    'DCGM_EXP_GPU_HEALTH_STATUS{health_watch!~"MEM|NVLINK"} > 0': "",
    'kube_pod_status_phase{phase="running"} == 1': "promql/impossible-matcher",
    "DCGM_FI_DEV_GPU_TEMP and on (instance) kube_node_info": "promql/join-domain",
    "x / ignoring (reason) group_left y": "",
    "rate(a_failed_total[5m]) / ignoring (reason) group_left rate(a_total[5m]) > 0.1": "",
    "absent(DCGM_FI_DEV_GPU_TEMP) and absent(DCGM_FI_DEV_POWER_USAGE)": "",
    'absent(DCGM_FI_DEV_GPU_TEMP) and absent(foo{engine="gpu"})': "promql/absent-labels",
    'up == 1 and absent(DCGM_FI_DEV_GPU_TEMP{gpu="N"})': "promql/absent-labels",
    "absent(DCGM_FI_DEV_GPU_TEMP) and on () up == 1": "",
    'absent(DCGM_FI_DEV_GPU_TEMP) or absent(foo{engine="gpu"})': "",
    'absent(DCGM_FI_DEV_GPU_TEMP{gpu="0"})': "promql/absent-labels",
    'absent(DCGM_FI_DEV_GPU_TEMP{gpu="0", Hostname="n1"})': "",
    "absent(DCGM_FI_DEV_GPU_TEMP)": "",
    'absent(up{job="dcgm-exporter"}) and on () (sum(kube_daemonset_status_desired_number_scheduled{daemonset="device-plugin"}) > 0)': "",
    "absent_over_time(DCGM_FI_PROF_SM_ACTIVE[5m])": "",
    "sum by (gpu) (absent(DCGM_FI_DEV_GPU_TEMP))": "",
    "(absent(DCGM_FI_DEV_GPU_TEMP) and on () up) and on () vector(1)": "",
    "x and absent(DCGM_FI_DEV_GPU_TEMP)": "",
    'avg_over_time(DCGM_FI_DEV_GPU_UTIL[30m]) < 5 and on (pod) kube_pod_status_phase{phase="Running"} == 1': "promql/join-domain",
    'DCGM_FI_DEV_GPU_TEMP and on (exported_pod) kube_pod_status_phase{phase="Running"} == 1': "promql/join-domain",
    "DCGM_FI_DEV_GPU_TEMP and on (exported_namespace, exported_pod) kube_pod_status_phase == 1": "",
    "sum by (pod) (x) and on (pod) sum by (pod) (y)": "",
    "DCGM_FI_DEV_GPU_TEMP and on (instance) up": "",
    "DCGM_FI_DEV_GPU_TEMP * on (instance) group_left () prometheus_build_info": "",
    "DCGM_FI_DEV_GPU_TEMP and on (instance) label_replace(prometheus_build_info, 'instance', '$1:9400', 'instance', '(.*):.*')": "",
    "increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[5m]) or increase(DCGM_FI_DEV_ECC_DBE_AGG_TOTAL[5m])": "promql/or-hides",
    "increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[5m]) > 0 or increase(DCGM_FI_DEV_ECC_DBE_AGG_TOTAL[5m]) > 0": "",
    "DCGM_FI_DEV_GPU_UTIL or DCGM_FI_PROF_GR_ENGINE_ACTIVE * 100": "",
    "rate(old_total[5m]) or rate(new_total[5m])": "",
    "DCGM_FI_DEV_GPU_TEMP or vector(0)": "",
    "sum(rate(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[5m])) or sum(rate(DCGM_FI_DEV_ECC_DBE_AGG_TOTAL[5m]))": "",
    "(sum(errors) or vector(0)) > 5": "promql/absence-as-health",
    "(sum(up) or vector(0)) < 5": "",
    "(sum(errors) or vector(0)) / sum(all) > 0.1": "",
    "(up or on () vector(0)) == 0": "",
    "DCGM_FI_DEV_GPU_TEMP / DCGM_FI_DEV_GPU_UTIL > 2": "promql/division-by-zero",
    "DCGM_FI_DEV_GPU_TEMP / (DCGM_FI_DEV_GPU_UTIL > 0) > 2": "",
    "DCGM_FI_DEV_GPU_TEMP / DCGM_FI_DEV_GPU_UTIL > 2 and DCGM_FI_DEV_GPU_UTIL > 0": "",
    "DCGM_FI_DEV_GPU_TEMP / DCGM_FI_DEV_GPU_UTIL < 2": "",
    "DCGM_FI_DEV_FB_USED / DCGM_FI_DEV_FB_FREE > 0.9": "",
    "DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE) > 0.9": "",
    "rate(prometheus_rule_evaluation_failures_total[5m]) / rate(prometheus_rule_evaluations_total[5m]) > 0.1": "",
    "DCGM_FI_DEV_GPU_TEMP / DCGM_FI_DEV_GPU_TEMP > 2": "",
    "100 * DCGM_FI_DEV_GPU_TEMP / DCGM_FI_DEV_GPU_UTIL > 2": "promql/division-by-zero",
    "DCGM_FI_DEV_GPU_TEMP / avg by (gpu, Hostname) (DCGM_FI_DEV_GPU_UTIL) > 2": "promql/join-without-common-label",
    "count(up == 1) / count(up) < 0.5": "promql/empty-at-zero",
    "count(up == 0) / count(up) > 0.5": "",
    "count(up == 1) < 3": "promql/empty-at-zero",
    "count(up == 0) > 3": "",
    "count(up == 1) == 0": "promql/empty-at-zero",
    "(count(up == 1) or vector(0)) < 3": "",
    "count(up) < 3": "",
    "count by (job) (up == 1) < 3": "promql/empty-at-zero",
    "count(up == bool 1) < 3": "",
    'x{a=~"abc"}': "promql/regex-unneeded",
    'x{a=~"^abc$"}': "promql/regex-unneeded",
    'x{a!~"abc"}': "promql/regex-unneeded",
    'x{a=~".*"}': "promql/regex-unneeded",
    'x{a!~".*"}': "promql/impossible-matcher",
    'x{a=~".+"}': "",
    'x{a=~"a|b"}': "",
    'x{a=~"a|b|"}': "promql/regex-broken",
    'x{a=~"a|"}': "",
    'x{a=~"|a"}': "",
    'x{a=~"(a|b|)"}': "promql/regex-broken",
    'x{a=~"a||b"}': "promql/regex-broken",
    'x{a=~"^a.*"}': "promql/regex-broken",
    'x{a=~"a.*$"}': "promql/regex-broken",
    'x{a=~"train-*"}': "promql/regex-broken",
    'x{a=~"train-.*"}': "",
    'x{a=~"5.."}': "",
    'x{a=~"10.0.0.1:9100"}': "promql/regex-unneeded",
    'x{a=~"10\\\\.0\\\\.0\\\\.1"}': "promql/regex-unneeded",
    'x{a=~"a-[0-9]*"}': "",
    'x{a=~"^(a|b)$"}': "",
    'x{a=~"a\\\\|b|c"}': "",
    'x{a=~""}': "",
    'x{device=~"(/dev/)?(mmcblk.p.+|nvme.+|rbd.+)"}': "",
    'x{a=~"^a|b$"}': "",
    'x{a=~"$node"}': "",
    'x{a="b",a="c"}': "promql/impossible-matcher",
    'x{a="b",a!="b"}': "promql/impossible-matcher",
    'x{a=~"b|c",a!~"b|c"}': "promql/impossible-matcher",
    'x{a=~"b|c",a!="b"}': "",
    'x{a="b",a=~"b.*"}': "",
    'DCGM_FI_DEV_GPU_TEMP{job="other"}': "promql/impossible-matcher",
    'DCGM_FI_DEV_GPU_TEMP{a="b",a="c"}': "",
    'x{a!="b",a!="c"}': "",
    'x{a="",a!=""}': "promql/impossible-matcher",
    'x{a=~"b.*",a="c"}': "promql/impossible-matcher",
}
RECORDS = {
    ("a:b:c", "max by (gpu, err_msg) (DCGM_FI_DEV_XID_ERRORS)"): "promql/high-fan-out",
    ("a:b:c", "sum(max by (gpu, err_msg) (DCGM_FI_DEV_XID_ERRORS))"): "",
    ("a:b:c", "sum by (namespace, pod) (x)"): "",
    ("a:b:c", "max by (uid) (x)"): "promql/high-fan-out",
    ("node:x:ok", "x or up * 0 + 1"): "promql/absence-as-health",
    ("node:x:up", "x or vector(1)"): "promql/absence-as-health",
    ("node:x:up", "x or vector(0)"): "",
    ("node:x:max", "x or up * 0 + 1"): "",
    ("node:x:healthy", "sum(x or vector(1))"): "",
    ("node:x:healthy", "max(x or vector(1))"): "promql/absence-as-health",
    ("node:x:errors", "sum(e) or sum(t) * 0"): "",
    ("a:b:c", "count(up == 1) / count(up)"): "promql/empty-at-zero",
    ("a:b:c", "count(up == 1)"): "promql/empty-at-zero",
    ("a:b:c", "count by (job) (up == 1)"): "",
    ("a:b:c", "count by (job) (up == 1) / count by (job) (up)"): "promql/empty-at-zero",
    ("a:b:c", "count(kube_pod_info == 1)"): "",
    ("a:b:c", "count(up == 1) or vector(0)"): "",
    ("a:b:c", "sum(up == bool 1) / count(up)"): "",
    ("a:b:c", "DCGM_FI_DEV_GPU_TEMP / DCGM_FI_DEV_GPU_UTIL"): "",
    ("a:b:c", "sum by (a) (count by (a) (up == 1))"): "",
    ("a:b:c", "max(count(up == 1))"): "",
}
LABELS = {
    ("gpu", "DCGM_FI_DEV_GPU_TEMP"): "warning",
    ("gpu", "max by (gpu) (DCGM_FI_DEV_GPU_TEMP)"): "error",
    ("gpu", "max by (Hostname, gpu) (DCGM_FI_DEV_GPU_TEMP)"): "error",
    ("gpu", "max by (Hostname) (DCGM_FI_DEV_GPU_TEMP)"): "",
    ("gpu", 'max by (gpu) (DCGM_FI_DEV_GPU_TEMP{gpu="0"})'): "",
    ("team", "sum by (team) (x)"): "warning",
    ("team", "x"): "",
    ("severity", "sum by (severity) (x)"): "",
}


def found(rule: dict[str, object]) -> list[Diagnostic]:
    """What these checks say of a rule of others."""
    told = findings({"rules.yml": _file(rule)})
    return [finding for finding in told if finding.code in CHECKED]


def alert(expr: str) -> dict[str, object]:
    return {"alert": "Example", "expr": expr}


def codes(found: list[Diagnostic]) -> str:
    return " ".join(sorted({finding.code for finding in found}))


def _file(rule: dict[str, object]) -> str:
    return json.dumps({"groups": [{"name": "example", "rules": [rule]}]})


@pytest.mark.parametrize(("expr", "expected"), ALERTS.items())
def test_alert(expr: str, expected: str) -> None:
    assert codes(found(alert(expr))) == expected


@pytest.mark.parametrize(("rule", "expected"), RECORDS.items())
def test_record(rule: tuple[str, str], expected: str) -> None:
    name, expr = rule
    assert codes(found({"record": name, "expr": expr})) == expected


@pytest.mark.parametrize(("rule", "expected"), LABELS.items())
def test_label_of_a_recording_rule(rule: tuple[str, str], expected: str) -> None:
    label, expr = rule
    told = found({"record": "a:b:c", "expr": expr, "labels": {label: "0"}})
    assert " ".join(f.severity for f in told if f.code == "alert/label-conflict") == expected


ASSUMED = {
    "DCGM_FI_DEV_POWER_USAGE * on (Hostname) DCGM_FI_DEV_GPU_TEMP": "warning promql/many-to-many",
    'absent(DCGM_FI_DEV_GPU_TEMP{gpu="0"})': "warning promql/absent-labels",
    "DCGM_FI_DEV_GPU_TEMP and on (gpu) DCGM_FI_DEV_POWER_USAGE": "warning promql/join-domain",
    'DCGM_FI_DEV_GPU_TEMP{job="other", cluster="other"}': "",
    'DCGM_FI_DEV_GPU_TEMP and on (job) up{job="other"}': "",
    'up{job="one"} and on (job) up{job="other"}': "error promql/join-without-common-label",
    "DCGM_FI_DEV_POWER_USAGE / sum(DCGM_FI_DEV_POWER_USAGE)": "error promql/join-without-common-label",
}


@pytest.mark.parametrize(("expr", "expected"), ASSUMED.items())
def test_names_and_sizes_of_an_assumed_fleet_prove_nothing(expr: str, expected: str) -> None:
    read = program({"rules.yml": _file(alert(expr))})
    told = checks.check(replace(read, policy=_built_in(read)))
    assert " ".join(f"{f.severity} {f.code}" for f in told if f.code in CHECKED) == expected


def _built_in(read: Program) -> Policy:
    """The fleet of a program, as if it were built in."""
    assert read.policy is not None
    written = Node(Source("<built-in>/fleet.yaml", ""), {}, (1, 1, 1, 1))
    return replace(read.policy, fleet=replace(read.policy.fleet, written=written))


NEVER = ("promql/absent-labels", "promql/join-without-common-label")


def errors(*wanted: str) -> list[str]:
    """Expressions of which an error of these codes is told."""
    return [
        expr
        for expr in ALERTS
        if any(f.severity == "error" and f.code in wanted for f in found(alert(expr)))
    ]


def series() -> Iterator[dict[str, str]]:
    """What the four NVIDIA nodes of the base fleet give."""
    metrics = ("DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_GPU_UTIL")
    for node in "1234":
        target = f'job="dcgm-exporter",instance="n{node}:9400",cluster="one",pool="h100"'
        yield {"series": f"up{{{target}}}", "values": "1x30"}
        for gpu in "01234567":
            labels = f'{target},Hostname="n{node}",gpu="{gpu}",UUID="{node}{gpu}"'
            yield from ({"series": f"{m}{{{labels}}}", "values": "90x30"} for m in metrics)


def test_what_is_said_to_be_empty_is(promtool: Promtool, tmp_path: Path) -> None:
    assert promtool_says(promtool, tmp_path, errors(*NEVER)) == ""


def test_what_is_said_to_fail_does(promtool: Promtool, tmp_path: Path) -> None:
    failing = errors("promql/many-to-many")
    seen = promtool_says(promtool, tmp_path, failing)
    assert seen.count("found duplicate series") + seen.count("multiple matches") == len(failing)


def promtool_says(promtool: Promtool, folder: Path, expressions: list[str]) -> str:
    cases = [{"expr": expr, "eval_time": "20m", "exp_samples": []} for expr in expressions]
    test = {"interval": "1m", "input_series": list(series()), "promql_expr_test": cases}
    file = folder / "test.yaml"
    file.write_text(json.dumps({"evaluation_interval": "1m", "tests": [test]}), encoding="utf-8")
    return run_tests(promtool, file)
