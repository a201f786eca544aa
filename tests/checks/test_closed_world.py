"""What is only asked of specs, where the project has all that there is: what nobody would notice, and what collides."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuobs.pipeline import check_project
from tests.projects import project

RUNBOOK = "runbook: {impact: bad, diagnose: [look], fix: [mend it]}"
HOT = f"""\
  - name: GpuHot
    tier: page
    when: {{signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}}
    for: 5m
    summary: hot
    description: hot
    {RUNBOOK}
"""


def promql(name: str, expr: str, rest: str = "") -> str:
    """An alert on an expression, with a scenario that need not hold."""
    return f"""\
  - name: {name}
    tier: info
    expr: '{expr}'
    summary: something is wrong
    {rest}
    scenarios:
      - {{name: s, series: {{'up{{job="prometheus"}}': 1x5}}, quiet: [{{at: 5m}}]}}
"""


def findings(folder: Path, *texts: str) -> list[str]:
    """Codes and messages, for a text as `tests.projects` takes it and whole documents besides."""
    specs = project(folder, texts[0])
    for index, text in enumerate(texts[1:]):
        (specs / f"more{index}.yaml").write_text(text, encoding="utf-8")
    return [f"{found.code}: {found.message}" for found in check_project(specs).diagnostics]


def alerts(*alerts: str) -> str:
    return "alerts:\n" + "".join(alerts)


# alert/no-absence-guard ----------------------------------------------------------------------------------------------


UNNOTICED = {
    "nvidia": "job 'dcgm-exporter' is gone",
    "amd": "job 'amd-gpu-exporter' is gone",
    "both": "job 'dcgm-exporter' or 'amd-gpu-exporter' is gone",
}


@pytest.mark.parametrize(
    ("expr", "unnoticed"),
    [
        ("up == 0", ""),
        ('up{job=~"dcgm-exporter|amd.*"} == 0', ""),
        ('up{job!="amd-gpu-exporter"} == 0', "amd"),
        ('up{job="prometheus"} == 0', "both"),
        ("absent(gpu:temperature:max5m)", ""),
        ('absent(gpu:temperature:max5m{vendor="amd"})', "nvidia"),
        ("absent_over_time(DCGM_FI_DEV_GPU_TEMP[10m])", "amd"),
        ("gpu:temperature:max5m offset 15m unless gpu:temperature:max5m", ""),
        ("gpu:temperature:max5m unless gpu:sm_active:avg5m", "both"),
        ("sum(pool:gpus:inventory) > count(gpu:temperature:max5m)", ""),
    ],
)
def test_a_page_wants_an_alert_that_notices_silence(
    expr: str, unnoticed: str, tmp_path: Path
) -> None:
    found = findings(tmp_path, alerts(HOT, promql("Guard", expr)))
    start = "alert/no-absence-guard: no alert notices when"
    end = "and 'GpuHot' cannot fire on it then"
    assert found == ([f"{start} {UNNOTICED[unnoticed]}, {end}"] if unnoticed else [])


def test_only_pages_want_it_and_prometheus_itself_is_nobodys_to_watch(tmp_path: Path) -> None:
    page = promql("Slow", "prometheus_tsdb_head_series > 1e7", "for: 5m").replace("info", "page")
    text = alerts(
        HOT.replace("tier: page", "tier: ticket"),
        page.replace("summary:", f"description: d\n    {RUNBOOK}\n    summary:"),
    )
    assert findings(tmp_path, text) == []


def test_pages_on_one_exporter_are_one_finding(tmp_path: Path) -> None:
    text = alerts(HOT, HOT.replace("GpuHot", "GpuVeryHot").replace("temperature", "sm_active"))
    text = text.replace(
        "sm_active, level: gpu, reduce: max, window: 5m, above: 85",
        "sm_active, level: gpu, reduce: avg, window: 5m, above: 0.5",
    )
    assert findings(tmp_path, text) == [
        "alert/no-absence-guard: no alert notices when job 'dcgm-exporter' or 'amd-gpu-exporter' is gone, "
        "and 'GpuHot' and 1 more cannot fire on it then"
    ]


# alert/vanishing-series ----------------------------------------------------------------------------------------------

VANISHING = "alert/vanishing-series: this count is nothing, and not 0, when all series of job"


@pytest.mark.parametrize(
    "expr",
    [
        'count by (node) (gpu:temperature:max5m{vendor="nvidia"}) < 8',
        "(count(DCGM_FI_DEV_GPU_TEMP)) != 32 and on () vector(1)",
        "cluster:gpus:seen < 32",
    ],
)
def test_a_falling_count_ends_with_its_series(expr: str, tmp_path: Path) -> None:
    rules = """\
apiVersion: gpuobs/v1
kind: Rollups
name: counts
rules:
  - {record: cluster:gpus:seen, expr: count by (cluster) (DCGM_FI_DEV_GPU_TEMP), unit: gpus}
"""
    found = findings(tmp_path / "bare", alerts(promql("Missing", expr)), rules)
    assert found == [f"{VANISHING} 'dcgm-exporter' are gone"]
    watched = alerts(promql("Missing", expr), promql("Down", "up == 0"))
    assert findings(tmp_path / "watched", watched, rules) == []


@pytest.mark.parametrize(
    "expr",
    [
        "count(gpu:temperature:max5m > 80) > 4",
        "sum(gpu:temperature:max5m > 80) < 400",
        "sum(gpu:sm_active:avg5m) < 4",
    ],
)
def test_what_rises_or_counts_a_condition_is_left_alone(expr: str, tmp_path: Path) -> None:
    assert findings(tmp_path, alerts(promql("Many", expr))) == []


# alert/no-volume-guard, alert/page-without-action --------------------------------------------------------------------

FAILED = "prometheus_rule_evaluation_failures_total"
TOTAL = "prometheus_rule_evaluations_total"


@pytest.mark.parametrize(
    ("expr", "rest", "fires"),
    [
        (f"rate({FAILED}[15m]) / rate({TOTAL}[15m]) > 0.1", "for: 5m", True),
        (f"100 * (sum(increase({FAILED}[1h])) / sum(increase({TOTAL}[1h]))) >= 5", "for: 5m", True),
        (f"rate({FAILED}[15m]) / rate({TOTAL}[15m]) > 0.1", "for: 15m", False),
        (f"rate({FAILED}[15m]) / rate({TOTAL}[15m]) < 0.1", "for: 5m", False),
        (f"rate({FAILED}[15m]) / 900 > 0.1", "for: 5m", False),
        (f"rate({FAILED}[9m]) / rate({TOTAL}[9m]) > 0.1 and rate({TOTAL}[9m]) > 1", "", False),
        (
            f"rate({FAILED}[9m]) / on (instance) group_left () prometheus_tsdb_head_series > 1",
            "",
            False,
        ),
        (
            "rate(prometheus_remote_storage_samples_failed_total[9m]) "
            "/ rate(prometheus_remote_storage_samples_total[9m]) > 0.1",
            "",
            False,
        ),
    ],
)
def test_a_share_of_rare_events(expr: str, rest: str, fires: bool, tmp_path: Path) -> None:
    found = findings(tmp_path, alerts(promql("Failing", expr, rest)))
    assert [each.partition(":")[0] for each in found] == ["alert/no-volume-guard"] * fires


def test_a_page_without_a_runbook_where_its_tier_wants_none(tmp_path: Path) -> None:
    specs = project(tmp_path, alerts(HOT.replace(f"    {RUNBOOK}\n", ""), promql("D", "up == 0")))
    tiers = specs / "tiers.yaml"
    tiers.write_text(tiers.read_text().replace("[summary, description, runbook]", "[summary]"))
    assert [f"{found.code}: {found.message}" for found in check_project(specs).diagnostics] == [
        "alert/page-without-action: 'GpuHot' wakes someone and says nothing of what to do"
    ]


# rule/cross-group, rollup/label-conflict -----------------------------------------------------------------------------


def test_plain_rules_of_two_documents_are_two_groups(tmp_path: Path) -> None:
    reader = """\
apiVersion: gpuobs/v1
kind: Rollups
name: shares
rules:
  - {record: cluster:gpus:hot_share, expr: cluster:gpus:hot / 32, unit: ratio}
"""
    hot = "rules:\n  - {record: cluster:gpus:hot, expr: count by (cluster) (gpu:temperature:max5m > 80), unit: gpus}\n"
    assert findings(tmp_path, hot, reader) == [
        "rule/cross-group: 'cluster:gpus:hot' is recorded in group 'gpuobs.rules.example' and read up to one interval late"
    ]


@pytest.mark.parametrize(
    ("rule", "label"),
    [
        ("expr: gpu:temperature:max5m > 80, labels: {node: any}", "node"),
        ("expr: sum without (gpu) (gpu:temperature:max5m), labels: {model: any}", "model"),
        ("expr: sum by (node) (gpu:temperature:max5m), labels: {model: any}", ""),
        ("expr: 'gpu:temperature:max5m{vendor=\"amd\"}', labels: {vendor: amd}", ""),
    ],
)
def test_a_rules_label_wins_over_that_of_its_series(rule: str, label: str, tmp_path: Path) -> None:
    text = f"rules:\n  - {{record: 'a:b:c', unit: celsius, {rule}}}\n"
    message = f"the series of this expression have the label '{label}', which the rule overwrites"
    assert findings(tmp_path, text) == ([f"rollup/label-conflict: {message}"] if label else [])


def test_a_signal_is_told_apart_by_labels_beyond_those_of_the_gpu(tmp_path: Path) -> None:
    signal = "signals:\n  - {name: heat, help: h, unit: celsius, by: [node], sources: {nvidia: DCGM_FI_DEV_GPU_TEMP}}\n"
    rollup = "apiVersion: gpuobs/v1\nkind: Rollups\nname: heat\nrollups:\n  - {signal: heat, levels: {gpu: {max: [5m]}}}\n"
    assert findings(tmp_path, signal, rollup) == [
        "rollup/label-conflict: 'node' is a label of the GPU: 'heat' is told apart by it anyway"
    ]
