"""Alerts in, whole rules and tests out."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuobs.ir import AlertingRule, RuleTest
from gpuobs.pipeline import compile_project
from tests.lower.test_rollups import compiled, rules
from tests.projects import project


def alert(condition: str, more: str = "") -> str:
    return f"""alerts:
  - name: GpuHot
    tier: info
    {condition}
    summary: hot
{more}"""


def when(inside: str) -> str:
    return f"when: {{signal: temperature, level: gpu, reduce: max, window: 5m, {inside}}}"


def rule_of(folder: Path, text: str) -> AlertingRule:
    program = compiled(folder, text)
    (found,) = (
        rule
        for file in program.rule_files
        for group in file.groups
        for rule in group.rules
        if isinstance(rule, AlertingRule)
    )
    return found


def cases_of(folder: Path, text: str) -> list[RuleTest]:
    return [case for file in compiled(folder, text).test_files for case in file.cases]


def test_one_threshold_is_one_comparison(tmp_path: Path) -> None:
    assert rule_of(tmp_path, alert(when("above: 85"))).expr == "gpu:temperature:max5m > 85"


def test_below_is_the_other_comparison(tmp_path: Path) -> None:
    text = alert("when: {signal: sm_active, level: node, reduce: avg, window: 5m, below: 0.05}")
    assert rule_of(tmp_path, text).expr == "node:sm_active:avg5m < 0.05"


def test_a_match_becomes_a_matcher(tmp_path: Path) -> None:
    text = alert(when("above: 85, match: {model: [a.b, c]}"))
    assert rule_of(tmp_path, text).expr == 'gpu:temperature:max5m{model=~"a\\\\.b|c"} > 85'


def test_xid_classes_are_spelt_out(tmp_path: Path) -> None:
    text = alert(
        "when: {signal: xid_events, level: gpu, reduce: max, window: 5m, xidClass: [reboot], above: 0}"
    )
    assert rule_of(tmp_path, text).expr == 'gpu:xid_events:max5m{xid=~"79|151"} > 0'


def test_thresholds_by_model_are_joined_and_others_take_the_default(tmp_path: Path) -> None:
    text = alert(when("above: {default: 85, H100-SXM5-80GB: 82, T4-16GB: 90}"))
    assert rule_of(tmp_path, text).expr == (
        "gpu:temperature:max5m > on (model) group_left () gpu:GpuHot:threshold\n"
        "or\n"
        "(gpu:temperature:max5m unless on (model) gpu:GpuHot:threshold) > 85"
    )
    found = rules(compiled(tmp_path / "again", text), "gpu:GpuHot:threshold")
    assert [(rule.expr, rule.labels) for rule in found] == [
        ("vector(82)", {"model": "NVIDIA H100 80GB HBM3"})
    ]


def test_labels_and_annotations(tmp_path: Path) -> None:
    more = (
        "    for: 90s\n    keepFiringFor: 10m\n    labels: {team: cooling}\n    description: It is hot.\n"
        "    runbook: {impact: Slow., diagnose: [Look., Compare.], fix: [Cool.]}\n"
    )
    rule = rule_of(tmp_path, alert(when("above: 85"), more))
    assert (rule.for_, rule.keep_firing_for, rule.labels, rule.annotations) == (
        "1m30s",
        "10m",
        {"owner": "infra", "severity": "info", "team": "cooling", "tier": "info"},
        {
            "summary": "hot",
            "description": "It is hot.",
            "value": "{{ $value | humanize }} °C",
            "runbook": "Impact: Slow.\nDiagnose:\n1. Look.\n2. Compare.\nFix:\n1. Cool.",
        },
    )


def test_the_edge_of_a_whole_metric_is_the_next_whole_value(tmp_path: Path) -> None:
    (case,) = cases_of(tmp_path, alert(when("above: 85"), "    for: 10m\n"))
    values = {
        entry.series.split('ostname="')[1].split('"')[0]: entry.values for entry in case.series
    }
    assert values == {
        "just-over": "86x27",
        "just-under": "84x27",
        "recovers": "86x13 84x13",
        "vanishes": "86x13 stale",
        "just-over-amd": "86x27",
        "just-under-amd": "84x27",
    }
    assert [(a.at, [s.labels for s in a.samples]) for a in case.assertions] == [
        ("9m", []),
        (
            "12m",
            [
                '{node="just-over"}',
                '{node="just-over-amd"}',
                '{node="recovers"}',
                '{node="vanishes"}',
            ],
        ),
        ("28m", ['{node="just-over"}', '{node="just-over-amd"}']),
    ]


@pytest.mark.parametrize(
    ("condition", "over", "under"),
    [
        (
            "{signal: sm_active, level: gpu, reduce: avg, window: 5m, above: 0.5}",
            "0.5005",
            "0.4995",
        ),
        (
            "{signal: sm_active, level: gpu, reduce: avg, window: 5m, below: 0.5}",
            "0.4995",
            "0.5005",
        ),
        ("{signal: xid_events, level: gpu, reduce: max, window: 5m, above: 0}", "1", "0"),
        (
            "{signal: ecc_uncorrectable, level: gpu, reduce: increase, window: 10m, above: 0}",
            "1000+1",
            "1000+0",
        ),
    ],
)
def test_edges(condition: str, over: str, under: str, tmp_path: Path) -> None:
    (case,) = cases_of(tmp_path, alert(f"when: {condition}"))
    values = {
        name: entry.values.split("x")[0]
        for name in ("just-over", "just-under")
        for entry in case.series
        if f'Hostname="{name}"' in entry.series
    }
    assert values == {"just-over": over, "just-under": under}


def test_a_scenario_is_completed_as_the_fleet_would_write_it(tmp_path: Path) -> None:
    more = (
        "    scenarios:\n      - name: one\n"
        "        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname=\"n7\", gpu=\"3\"}': '70x10   90x30'}\n"
        '        fires: [{at: 22m, labels: {node: n7, gpu: "3"}}]\n        quiet: [{at: 12m}]\n'
    )
    *_, case = cases_of(tmp_path, alert(when("above: 85"), more))
    assert [(entry.series, entry.values) for entry in case.series] == [
        (
            'DCGM_FI_DEV_GPU_TEMP{Hostname="n7", UUID="GPU-n7-3", cluster="one", gpu="3", '
            'instance="n7:9400", job="dcgm-exporter", modelName="NVIDIA H100 80GB HBM3", pool="h100"}',
            "70x10 90x30",
        )
    ]
    assert [(a.at, a.expr, [s.labels for s in a.samples]) for a in case.assertions] == [
        ("12m", 'ALERTS{alertname="GpuHot", alertstate="firing"}', []),
        (
            "22m",
            'count by (gpu, node) (ALERTS{alertname="GpuHot", alertstate="firing"})',
            ['{gpu="3", node="n7"}'],
        ),
    ]


def test_a_deeply_nested_expression_is_too_complex(tmp_path: Path) -> None:
    expression = "(" * 150 + "up" + ")" * 150
    done = compile_project(project(tmp_path, alert(f"expr: {expression}")))
    assert [d.code for d in done.diagnostics] == ["promql/too-complex"]


def test_a_project_without_a_fleet_says_so_once(tmp_path: Path) -> None:
    specs = project(tmp_path, alert(when("above: 85")))
    (specs / "fleet.yaml").unlink()
    done = compile_project(specs)
    assert [d.code for d in done.diagnostics] == ["spec/missing-document"]


def test_a_mistake_in_a_rollup_is_not_reported_again_at_its_alerts(tmp_path: Path) -> None:
    reads = "when: {signal: power, level: gpu, reduce: avg, window: 10s, above: 700}"
    specs = project(tmp_path, alert(reads))
    (specs / "power.yaml").write_text(
        "apiVersion: gpuobs/v1\nkind: Rollups\nname: power\n"
        "rollups:\n  - {signal: power, levels: {gpu: {avg: [10s]}}}\n"
    )
    found = compile_project(specs).diagnostics
    assert [finding.code for finding in found] == ["rollup/window-too-short"]


def test_a_mistake_in_one_alert_does_not_hide_those_of_others(tmp_path: Path) -> None:
    text = alert(when("above: 80")).replace("tier: info", "tier: inf")
    text += alert(when("above: 2000")).removeprefix("alerts:\n").replace("GpuHot", "GpuHotter")
    found = compile_project(project(tmp_path, text))
    assert [finding.code for finding in found.diagnostics] == [
        "alert/unknown-tier",
        "promql/never-true",
    ]
    assert (found.program, found.artifacts) == (None, ())
