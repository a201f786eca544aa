"""Who is told of an alert, what silences it and what it silences, by the labels that rules give."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuobs.notified import story
from gpuobs.pipeline import check_project
from tests.projects import project

TIERS = """\
receivers:
  pagerduty-infra: {pagerduty: {routingKey: pagerduty/infra}}
  servicenow-infra: {servicenow: {url: "https://example.com/", token: servicenow/token}}
  slack-infra: {slack: {apiUrl: slack/url, channel: "#gpu-{namespace}"}}
  slack-workloads: {slack: {apiUrl: slack/url, channel: "#gpu-jobs"}}
default: slack-workloads
inhibit:
  - name: a page silences infos of the same GPU
    when: {tier: [page]}
    silences: {tier: [info]}
    equal: [node, gpu]
  - name: a cluster that is down silences all else in it
    when: {alertname: [ClusterDown]}
    silences: {tier: [page, info]}
    equal: [cluster]
"""
ALERTS = """\
apiVersion: gpuobs/v1
kind: Alerts
name: more
owner: infra
alerts:
  - name: GpuBroken
    tier: page
    expr: DCGM_FI_DEV_GPU_TEMP > 95
    for: 1m
    summary: a
    description: b
    runbook: {impact: c, diagnose: [d], fix: [e]}
  - {name: GpuHot, tier: info, expr: DCGM_FI_DEV_GPU_TEMP > 85, summary: a}
  - {name: NodesHot, tier: info, expr: avg by (node) (gpu:temperature:max5m) > 80, summary: a}
  - {name: FleetHot, tier: info, owner: workloads, expr: avg(gpu:temperature:max5m) > 80, summary: a}
  - name: ClusterDown
    tier: page
    expr: count by (cluster) (DCGM_FI_DEV_GPU_TEMP) == 0
    for: 1m
    summary: a
    description: b
    runbook: {impact: c, diagnose: [d], fix: [e]}
"""
PAGED = "pagerduty-infra, grouped by alertname, cluster, after 30s, again every 12h"
INFORMED = "slack-infra, grouped by alertname, cluster, namespace, after 30s, again every 12h"
BY_CLUSTER = (
    "silenced",
    "while ClusterDown fires, of the same cluster: a cluster that is down silences all else in it",
)


@pytest.mark.parametrize(
    ("alert", "told"),
    [
        ("GpuBroken", [("told to", PAGED), BY_CLUSTER]),
        ("GpuHot", [("told to", INFORMED), BY_CLUSTER]),
        ("NodesHot", [("told to", INFORMED), BY_CLUSTER]),
        (
            "FleetHot",
            [
                (
                    "told to",
                    "slack-workloads, grouped by alertname, cluster, after 30s, again every 12h",
                ),
                BY_CLUSTER,
            ],
        ),
        (
            "ClusterDown",
            [
                ("told to", PAGED),
                (
                    "silences",
                    "GpuBroken, GpuHot, NodesHot or FleetHot, of the same cluster: "
                    "a cluster that is down silences all else in it",
                ),
            ],
        ),
    ],
)
def test_story(alert: str, told: list[tuple[str, str]], tmp_path: Path) -> None:
    specs = project(tmp_path, TIERS)
    (specs / "more.yaml").write_text(ALERTS, encoding="utf-8")
    done = check_project(specs)
    assert done.program is not None, done.diagnostics
    (rule,) = (each for each in done.program.alerting if each.alert == alert)
    assert list(story(done.program, rule)) == told


def test_without_receivers_nobody_knows(tmp_path: Path) -> None:
    specs = project(tmp_path, "signals: []")
    (specs / "example.yaml").write_text(ALERTS, encoding="utf-8")
    done = check_project(specs)
    assert done.program is not None, done.diagnostics
    assert [list(story(done.program, rule)) for rule in done.program.alerting] == [[]] * 5


def test_labels_that_rules_give_are_equal_or_not(tmp_path: Path) -> None:
    specs = project(tmp_path, TIERS.replace("equal: [cluster]", "equal: [cluster, owner]"))
    (specs / "more.yaml").write_text(ALERTS, encoding="utf-8")
    program = check_project(specs).program
    assert program is not None
    silenced = {
        rule.alert
        for rule in program.alerting
        if any(word == "silenced" for word, _ in story(program, rule))
    }
    assert silenced == {"GpuBroken", "GpuHot", "NodesHot"}
