"""A program made by hand, the smallest that shows every part of every target."""

from __future__ import annotations

from gpuobs.diagnostics import Span
from gpuobs.ir import (
    AlertingRule,
    Assertion,
    InputSeries,
    OperatorSettings,
    Origin,
    Program,
    RecordingRule,
    RuleFile,
    RuleGroup,
    RuleTest,
    RuleTestFile,
    Sample,
)
from gpuobs.spec.scalars import PrometheusVersion

FIRING = 'count by (node) (ALERTS{alertname="Hot",alertstate="firing"})'


def origin(line: int = 1, name: str = "thermal") -> Origin:
    return Origin(Span("specs/thermal.yaml", line, 5, line, 9), "Alerts", name)


RECORD = RecordingRule(
    record="node:temperature:max",
    expr="max by (cluster, node) (temperature)",
    labels={"level": "node"},
    origin=origin(),
)
ALERT = AlertingRule(
    alert="Hot",
    expr="node:temperature:max > 85",
    for_="2m",
    keep_firing_for="5m",
    labels={"tier": "page"},
    annotations={
        "summary": "{{ $labels.node }}: {{ $value }} °C",
        "description": "First line.\nSecond line.",
    },
    origin=origin(3),
)
CASE = RuleTest(
    name="Hot: one of two",
    interval="1m",
    series=(
        InputSeries(series='temperature{node="n1"}', values="90x10"),
        InputSeries(series='temperature{node="n2"}', values="50x10"),
    ),
    assertions=(
        Assertion(
            expr=FIRING,
            at="1m",
            samples=(),
            claim="Hot is quiet before 'for: 2m' is over",
            origin=origin(4),
        ),
        Assertion(
            expr=FIRING,
            at="5m",
            samples=(Sample(labels='{node="n1"}', value=1),),
            claim="Hot fires for n1",
            origin=origin(5),
        ),
    ),
    origin=origin(6),
)


def program(
    *cases: RuleTest,
    version: str = "2.42",
    groups: tuple[RuleGroup, ...] | None = None,
    alert: AlertingRule = ALERT,
) -> Program:
    """One rule file and one test file, with the cases, by default the one above."""
    own = (
        RuleGroup(name="gpuobs.rollup.thermal", interval="1m", rules=(RECORD,)),
        RuleGroup(name="gpuobs.alerts.thermal", interval="1m", rules=(alert,)),
    )
    groups = own if groups is None else groups
    return Program(
        fleet="acme",
        version=PrometheusVersion(version).number,
        rule_files=(RuleFile(name="alerts-thermal", groups=groups, origin=origin()),),
        test_files=(
            RuleTestFile(
                name="alerts-thermal",
                evaluation_interval="1m",
                rule_files=("alerts-thermal",),
                group_order=tuple(group.name for group in groups),
                cases=cases or (CASE,),
                origin=origin(),
            ),
        ),
        operator=OperatorSettings(
            namespace="observability",
            labels={"role": "alert-rules", "prometheus": "k8s"},
            annotations={"team": "on"},
        ),
    )
