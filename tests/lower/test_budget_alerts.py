"""Alerts on the budget itself: whole rules and their incidents, of fleets with different stores.

`--update-golden` writes tests/lower/golden/budget-alerts/<fleet>/ anew.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gpuobs.ir import AlertingRule
from gpuobs.pipeline import Compilation, compile_project
from gpuobs.verify.promtool import Promtool
from tests.lower.test_rollups import compiled
from tests.projects import project
from tests.promtool import check_rules, run_tests

GOLDEN = Path(__file__).parent / "golden" / "budget-alerts"
TIERS = Path(__file__).parents[1] / "base" / "tiers.yaml"
FLEETS = sorted(path.name for path in GOLDEN.iterdir())
RULES, TESTS = "prometheus/rules/alerts-budget.yaml", "tests/alerts-budget.yaml"
_BUDGET = """\
apiVersion: gpuobs/v1
kind: Budget
name: small
limits: {{{limits}}}
alerts: {alerts}
"""


def of_fleet(name: str, folder: Path) -> Compilation:
    specs = folder / "specs"
    shutil.copytree(GOLDEN / name / "specs", specs)
    shutil.copy(TIERS, specs)
    return compile_project(specs)


def budget(limits: str = "", alerts: str = "{owner: infra}") -> str:
    return _BUDGET.format(limits=limits, alerts=alerts)


def alerts(folder: Path, text: str) -> dict[str, AlertingRule]:
    return dict(compiled(folder, text).alerts)


@pytest.mark.parametrize("fleet", FLEETS)
def test_every_rule_and_incident_is_as_expected(
    fleet: str, tmp_path: Path, update_golden: bool
) -> None:
    made = {each.path: each.content for each in of_fleet(fleet, tmp_path).artifacts}
    for path in (RULES, TESTS):
        kept = GOLDEN / fleet / Path(path).parent.name / "alerts-budget.yaml"
        if update_golden:
            kept.parent.mkdir(exist_ok=True)
            kept.write_bytes(made[path])
        assert made[path].decode() == kept.read_text(encoding="utf-8")


@pytest.mark.parametrize("fleet", FLEETS)
def test_each_promtool_sees_them_above_below_gone_and_restarted(
    fleet: str, each_promtool: Promtool, tmp_path: Path
) -> None:
    for each in of_fleet(fleet, tmp_path).artifacts:
        (tmp_path / each.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / each.path).write_bytes(each.content)
    assert check_rules(each_promtool, tmp_path / RULES) == ""
    assert run_tests(each_promtool, tmp_path / TESTS) == ""


@pytest.mark.parametrize("fleet", sorted({*FLEETS} - {"without-prometheus"}))
def test_no_check_has_anything_to_say_of_them(fleet: str, tmp_path: Path) -> None:
    assert of_fleet(fleet, tmp_path).diagnostics == ()


def test_a_fleet_without_prometheus_is_told_once_what_it_does_not_get(tmp_path: Path) -> None:
    (found,) = of_fleet("without-prometheus", tmp_path).diagnostics
    assert (found.code, found.severity, found.span.line, found.message, found.hint) == (
        "budget/not-watched",
        "warning",
        5,
        "7 alerts on the budget are left out, 'PrometheusHeadSeriesOverBudget' the first of them: "
        "the fleet does not collect 'prometheus_tsdb_head_series' and 5 more",
        "add the exporter '{catalog: prometheus, job: prometheus}' to the fleet",
    )


def test_no_check_has_anything_to_say_where_every_gpu_is_cut(tmp_path: Path) -> None:
    specs = tmp_path / "specs"
    shutil.copytree(GOLDEN / "mimir" / "specs", specs)
    shutil.copy(TIERS, specs)
    fleet = specs / "fleet.yaml"
    text = fleet.read_text(encoding="utf-8")
    whole = "gpu: H100-SXM5-80GB, nodes: 2, gpusPerNode: 8"
    assert whole in text
    text = text.replace("nodes: 2, gpusPerNode: 8", "nodes: 2, gpusPerNode: 8, mig: {1g.10gb: 7}")
    text = text.replace("nodes: 20, gpusPerNode: 8", "nodes: 20, gpusPerNode: 8, mig: {3g.40gb: 2}")
    fleet.write_text(text, encoding="utf-8")
    assert compile_project(specs).diagnostics == ()


def test_without_being_asked_for_there_are_none(tmp_path: Path) -> None:
    text = budget("headSeriesPerCluster: 100000", "null")
    assert alerts(tmp_path, text) == {}


def test_limits_of_the_budget_are_the_thresholds(tmp_path: Path) -> None:
    found = alerts(tmp_path, budget("headSeriesPerCluster: 100000, headroom: 0.1"))
    assert [found[f"PrometheusHeadSeries{name}Budget"].expr for name in ("Near", "Over")] == [
        'prometheus_tsdb_head_series{job="prometheus"} > 90000',
        'prometheus_tsdb_head_series{job="prometheus"} > 100000',
    ]


def test_an_alert_that_the_author_has_is_the_authors(tmp_path: Path) -> None:
    own = (
        "alerts:\n"
        "  - name: PrometheusScrapeSampleLimitHit\n"
        "    tier: info\n"
        "    expr: increase(prometheus_target_scrapes_exceeded_sample_limit_total[1h]) > 3\n"
        "    summary: Scrapes of {{ $labels.instance }} are refused\n"
    )
    program = compiled(tmp_path, budget() + "---\n" + own)
    same = [rule for rule in program.alerting if rule.alert == "PrometheusScrapeSampleLimitHit"]
    assert [rule.labels["tier"] for rule in same] == ["info"]


def test_what_is_lost_now_has_a_tier_of_its_own_whose_waiting_time_it_keeps(tmp_path: Path) -> None:
    found = alerts(tmp_path, budget(alerts="{owner: infra, tier: info, pageTier: page}"))
    assert {name for name, rule in found.items() if rule.labels["tier"] == "page"} == {
        "PrometheusHeadSeriesOverBudget",
        "PrometheusScrapeLabelLimitHit",
        "PrometheusScrapeSampleLimitHit",
    }
    short = (
        "tiers:\n  page: {severity: critical, minFor: 1m, maxFor: 5m}\n  info: {severity: info}\n"
    )
    owners = "owners: {infra: {page: on-call, info: chat}}\n"
    specs = project(tmp_path / "short", short + owners)
    (specs / "budget.yaml").write_text(budget(alerts="{owner: infra, tier: page}"))
    done = compile_project(specs)
    assert done.program is not None
    assert {rule.for_ for rule in done.program.alerting} == {"5m"}
    assert done.diagnostics == ()


def test_models_are_silent_where_nobody_confirmed_what_exporters_call_them(tmp_path: Path) -> None:
    found = alerts(tmp_path, budget())
    assert {name for name in found if name.endswith("Unknown")} == {
        "NvidiaGpuModelUnknown",
        "NvidiaGpuPoolUnknown",
        "NvidiaMigProfileUnknown",
        "AmdGpuPoolUnknown",
    }


def test_an_exporter_without_a_sample_limit_has_no_alert_on_it(tmp_path: Path) -> None:
    found = alerts(tmp_path, budget() + "enforce: {sampleLimit: false}\n")
    assert "PrometheusScrapeSamplesNearLimit" not in found


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (
            "{owner: infrastructure, tier: pages}",
            [
                ("alert/no-owner", "no owner 'infrastructure'"),
                ("alert/unknown-tier", "no tier 'pages'"),
            ],
        ),
        ("{owner: infra, pageTier: pages}", [("alert/unknown-tier", "no tier 'pages'")]),
        (
            "{owner: workloads, tier: info, pageTier: page}",
            [("alert/no-receiver", "owner 'workloads' has no receiver for tier 'page'")],
        ),
    ],
)
def test_nobody_to_tell_is_refused_where_the_budget_names_it(
    tmp_path: Path, asked: str, expected: list[tuple[str, str]]
) -> None:
    done = compile_project(project(tmp_path, budget(alerts=asked)))
    assert [(d.code, d.message) for d in done.diagnostics] == expected
    assert {d.span.line for d in done.diagnostics} == {5}


def test_a_document_of_their_name_is_refused(tmp_path: Path) -> None:
    own = (
        "apiVersion: gpuobs/v1\nkind: Alerts\nname: budget\nowner: infra\n"
        "alerts: [{name: A, tier: info, expr: up == 0, summary: s}]\n"
    )
    done = compile_project(project(tmp_path, budget() + "---\n" + own))
    assert [(d.code, d.message) for d in done.diagnostics] == [
        ("spec/duplicate-name", "the alerts that the Budget asks for are called 'budget' too")
    ]
