"""Objectives: their rules and alerts, as text, and whatever windows and objectives, promtool agrees on when they fire."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuobs.ir import Program
from gpuobs.lower.slos import alarms
from gpuobs.pipeline import compile_project
from gpuobs.verify import unit_tests
from gpuobs.verify.promtool import Promtool
from tests.projects import project

SLO = """\
slos:
  - name: rules-evaluated
    objective: {objective}
    window: {window}
    events:
      {which}: prometheus_rule_evaluation_failures_total
      total: prometheus_rule_evaluations_total
    by: [cluster]
    minimumTotal: {least}
    burn: {{fast: {{tier: info}}, medium: {{tier: info}}, slow: {{tier: info}}}}
    summary: rules fail
"""


def _program(folder: Path, text: str) -> Program:
    done = compile_project(project(folder, text))
    assert done.artifacts, done.diagnostics
    assert done.program is not None
    return done.program


def _slo(
    objective: float = 0.99, window: str = "30d", which: str = "error", least: float = 0
) -> str:
    return SLO.format(objective=objective, window=window, which=which, least=least)


def test_errors_and_all_are_summed_over_windows_and_divided_last(tmp_path: Path) -> None:
    (file,) = (f for f in _program(tmp_path, _slo()).rule_files if f.name == "slos-example")
    assert [(rule.record, rule.expr) for rule in file.rules] == [  # type: ignore[union-attr]
        (
            "slo:total:avg5m",
            "sum by (cluster) (rate(prometheus_rule_evaluations_total[5m]))",
        ),
        (
            "slo:errors:avg5m",
            "sum by (cluster) (rate(prometheus_rule_evaluation_failures_total[5m]))\n"
            "or\n"
            "sum by (cluster) (rate(prometheus_rule_evaluations_total[5m])) * 0",
        ),
        *(
            (
                f"slo:{part}:avg{window}",
                f'avg_over_time(slo:{part}:avg5m{{slo="rules-evaluated"}}[{window}])',
            )
            for window in ("30m", "1h", "6h", "3d")
            for part in ("errors", "total")
        ),
        *(
            (
                f"slo:{part}:avg30d",
                f'avg_over_time(slo:{part}:avg1h{{slo="rules-evaluated"}}[30d:1h])',
            )
            for part in ("errors", "total")
        ),
        ("slo:objective:ratio", "vector(0.99)"),
        (
            "slo:burn:avg1h",
            'slo:errors:avg1h{slo="rules-evaluated"} / slo:total:avg1h{slo="rules-evaluated"} / 0.01',
        ),
        (
            "slo:budget:remaining",
            '1 - slo:errors:avg30d{slo="rules-evaluated"} / slo:total:avg30d{slo="rules-evaluated"} / 0.01',
        ),
    ]


def test_alerts_burn_over_both_windows_with_labels_that_stay(tmp_path: Path) -> None:
    program = _program(tmp_path, _slo(least=50))
    rule = program.alerts["RulesEvaluatedBurnFast"]
    assert rule.expr == (
        'slo:errors:avg1h{slo="rules-evaluated"} / slo:total:avg1h{slo="rules-evaluated"} / 0.01 > 14.4\n'
        "and\n"
        'slo:errors:avg5m{slo="rules-evaluated"} / slo:total:avg5m{slo="rules-evaluated"} / 0.01 > 14.4\n'
        "and\n"
        'slo:total:avg1h{slo="rules-evaluated"} * 3600 >= 50'
    )
    assert rule.labels == {
        "burn": "fast",
        "owner": "infra",
        "severity": "info",
        "slo": "rules-evaluated",
        "tier": "info",
    }
    assert [alert for alert in program.alerts if "Burn" in alert] == [
        "RulesEvaluatedBurnFast",
        "RulesEvaluatedBurnMedium",
        "RulesEvaluatedBurnSlow",
    ]


@pytest.mark.parametrize(
    ("window", "factors"),
    [("30d", [14.4, 6, 1]), ("28d", [13.44, 5.6, 28 / 30]), ("7d", [3.36, 1.4, 7 / 30])],
)
def test_factors_follow_from_shares_of_the_budget(
    window: str, factors: list[float], tmp_path: Path
) -> None:
    policy = _program(tmp_path, _slo(window=window)).policy
    assert policy is not None
    (slo,) = policy.slos[0].slos
    assert [alarm.factor for alarm in alarms(slo)] == pytest.approx(factors)


def test_a_histogram_is_read_at_the_edge_in_both_spellings(tmp_path: Path) -> None:
    text = _slo().replace(
        """\
    events:
      error: prometheus_rule_evaluation_failures_total
      total: prometheus_rule_evaluations_total
""",
        '    latency: {histogram: prometheus_remote_storage_sent_batch_duration_seconds, within: "5"}\n',
    )
    (file,) = (f for f in _program(tmp_path, text).rule_files if f.name == "slos-example")
    name = "prometheus_remote_storage_sent_batch_duration_seconds"
    assert next(rule.expr for rule in file.rules if rule.record == "slo:errors:avg5m") == (  # type: ignore[union-attr]
        f"sum by (cluster) (rate({name}_count[5m]))\n"
        "-\n"
        f'sum by (cluster) (\n  rate({name}_bucket{{le=~"5|5\\\\.0"}}[5m])\n)'
    )


@pytest.mark.promtool
@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    objective=st.sampled_from([0.9, 0.95, 0.99, 0.995, 0.999, 0.9999]),
    days=st.integers(4, 30),
    which=st.sampled_from(["error", "good"]),
    least=st.sampled_from([0, 1, 30, 1000]),
)
def test_promtool_agrees_on_when_they_fire(
    promtool: Promtool,
    tmp_path_factory: pytest.TempPathFactory,
    objective: float,
    days: int,
    which: str,
    least: float,
) -> None:
    folder = tmp_path_factory.mktemp("slo")
    factor = 0.02 * days * 24
    text = _slo(objective, f"{days}d", which, least)
    if factor * (1 - objective) >= 0.98:
        text = text.replace("fast: {tier: info}", "fast: {off: true}")
    if 0.05 * days * 4 * (1 - objective) >= 0.98:
        text = text.replace("medium: {tier: info}", "medium: {off: true}")
    done = compile_project(project(folder, text))
    assert done.artifacts, done.diagnostics
    for artifact in done.artifacts:
        path = folder / "out" / artifact.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(artifact.content)
    report = unit_tests.run(promtool, done.program, folder / "out", [], "rulesevaluated")
    assert report.diagnostics == ()
    assert report.assertions >= 2
