"""Alerts on the budget itself: from its numbers, as far as it states them, and each with an incident that proves it."""

from __future__ import annotations

from pathlib import Path

import yaml

from gpuobs.pipeline import Compilation, compile_project

ROOT = Path(__file__).parents[2]
_BUDGET = """\
apiVersion: gpuobs/v1
kind: Budget
name: small
limits: {{{limits}}}
alerts: {alerts}
"""


def compiled(
    folder: Path, limits: str = "", alerts: str = "{owner: infra, tier: page}"
) -> Compilation:
    specs = folder / "specs"
    specs.mkdir()
    for name in ("fleet", "tiers"):
        text = (ROOT / "specs" / f"{name}.yaml").read_text()
        (specs / f"{name}.yaml").write_text(text)
    (specs / "budget.yaml").write_text(_BUDGET.format(limits=limits, alerts=alerts))
    return compile_project(specs)


def expressions(done: Compilation) -> dict[str, str]:
    assert done.program is not None, done.diagnostics
    return {name: rule.expr for name, rule in done.program.alerts.items()}


def test_limits_that_are_stated_have_alerts(tmp_path: Path) -> None:
    found = expressions(
        compiled(tmp_path, "headSeriesPerCluster: 1000, activeSeriesPerCluster: 600, headroom: 0.1")
    )
    assert {
        name: found[name] for name in found if name.startswith("PrometheusHead") or "Churn" in name
    } == {
        "PrometheusHeadSeriesNearBudget": 'prometheus_tsdb_head_series{job="prometheus"} > 900',
        "PrometheusHeadSeriesPassBudgetSoon": (
            'predict_linear(prometheus_tsdb_head_series{job="prometheus"}[6h], 86400) > 1000 '
            'and prometheus_tsdb_head_series{job="prometheus"} > 500'
        ),
        # (1000 - 600) series in 3 hours of 3600 seconds
        "PrometheusSeriesChurnOverBudget": (
            'rate(prometheus_tsdb_head_series_created_total{job="prometheus"}[1h]) > 0.037'
        ),
    }


def test_limits_that_are_not_stated_have_none(tmp_path: Path) -> None:
    assert set(expressions(compiled(tmp_path))) == {
        "AmdGpuExporterSamplesOverBudget",
        "NvidiaGpuExporterSamplesOverBudget",
        "NvidiaGpuModelUnknown",
        "PrometheusScrapeLabelLimitHit",
    }


def test_an_owner_without_a_receiver_is_refused_where_the_budget_names_it(tmp_path: Path) -> None:
    done = compiled(tmp_path, alerts="{owner: infrastructure, tier: pages}")
    assert [(d.code, d.message, d.span.line) for d in done.diagnostics] == [
        ("alert/no-owner", "no owner 'infrastructure'", 5),
        ("alert/unknown-tier", "no tier 'pages'", 5),
    ]


def test_without_being_asked_for_there_are_none(tmp_path: Path) -> None:
    assert expressions(compiled(tmp_path, "headSeriesPerCluster: 1000000", "null")) == {}


def test_the_reference_has_them_and_they_are_tested() -> None:
    rules = yaml.safe_load((ROOT / "generated/prometheus/rules/alerts-budget.yaml").read_text())
    names = [rule["alert"] for group in rules["groups"] for rule in group["rules"]]
    cases = yaml.safe_load((ROOT / "generated/tests/alerts-budget.yaml").read_text())["tests"]
    expected = "".join(
        assertion["expr"] for case in cases for assertion in case["promql_expr_test"]
    )
    assert [name for name in names if f'"{name}"' not in expected] == []
