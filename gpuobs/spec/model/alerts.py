"""Alerts: what is worth waking someone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from gpuobs.spec.model.base import Doc, Item, Spec
from gpuobs.spec.scalars import AlertName, Duration, Identifier, LabelName, Name, PromQL


@dataclass(frozen=True, slots=True, kw_only=True)
class When(Item):
    """A condition on a recorded signal. The compiler writes the expression and its boundary tests."""

    signal: Annotated[Identifier, Doc("The signal.")]
    level: Annotated[
        Literal["gpu", "workload", "node", "cluster", "fleet"], Doc("What the alert is about.")
    ]
    reduce: Annotated[
        Literal[
            "avg",
            "min",
            "max",
            "sum",
            "count",
            "rate",
            "increase",
            "p5",
            "p10",
            "p25",
            "p50",
            "p75",
            "p90",
            "p95",
            "p99",
        ],
        Doc("The operation that is compared."),
    ]
    window: Annotated[Duration, Doc("Its window.")]
    match: Annotated[
        Mapping[LabelName, tuple[str, ...]], Doc("Only series whose label has one of these values.")
    ] = field(default_factory=dict)
    xid_class: Annotated[
        tuple[Literal["app", "info", "reset", "reboot", "triage", "unclassified", "unused"], ...],
        Doc("Only XIDs of these classes, for a signal by `xid`; see `gpuobs explain xid`."),
    ] = ()
    above: Annotated[
        float | Mapping[str, float] | None,
        Doc(
            "Fires above this: one number, or `default` and numbers by GPU model, in the signal's unit."
        ),
    ] = None
    below: Annotated[
        float | Mapping[str, float] | None,
        Doc(
            "Fires below this: one number, or `default` and numbers by GPU model, in the signal's unit."
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Runbook(Item):
    """What the person who is woken reads."""

    impact: Annotated[str, Doc("What it means for users of the GPUs.", non_empty=True)]
    diagnose: Annotated[tuple[str, ...], Doc("Steps to find the cause.", non_empty=True)]
    fix: Annotated[tuple[str, ...], Doc("Steps to mend it.", non_empty=True)]
    url: Annotated[
        str, Doc("Address of a longer runbook, instead of the fleet's `runbookUrl`.")
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation(Item):
    """What must hold at a moment of a scenario."""

    at: Annotated[Duration, Doc("Time since the scenario's start.")]
    labels: Annotated[
        Mapping[LabelName, str],
        Doc("Labels of the alert; labels that are not named may have any value."),
    ] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario(Item):
    """An incident, as series of samples and what must have fired when."""

    name: Annotated[str, Doc("What happens, in a few words.", non_empty=True)]
    interval: Annotated[Duration, Doc("Time between two samples of `series`.")] = Duration("1m")
    evaluation_interval: Annotated[
        Duration | None,
        Doc(
            "Time between two evaluations, where the fleet's would make a long incident slow to test."
        ),
    ] = None
    series: Annotated[
        Mapping[str, str],
        Doc(
            "Series to samples in promtool's notation. Labels that every series of the metric has may be left out.",
            non_empty=True,
        ),
    ]
    fires: Annotated[
        tuple[Expectation, ...],
        Doc("Alerts that must fire: at each moment exactly these, by the labels named."),
    ] = ()
    quiet: Annotated[tuple[Expectation, ...], Doc("Moments at which no such alert may fire.")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert(Item):
    """One alerting rule."""

    name: Annotated[AlertName, Doc("Its name, unique in the project.")]
    tier: Annotated[Name, Doc("Its tier, one of the Tiers document.")]
    owner: Annotated[str, Doc("Its owner, if not the document's.")] = ""
    when: Annotated[
        When | None, Doc("The condition, on a recorded signal. Either this or `expr`.")
    ] = None
    expr: Annotated[PromQL | None, Doc("The condition, in PromQL. Either this or `when`.")] = None
    for_: Annotated[Duration, Doc("How long the condition must hold.")] = Duration("0s")
    keep_firing_for: Annotated[
        Duration, Doc("How long the alert goes on firing after the condition ended.")
    ] = Duration("0s")
    labels: Annotated[Mapping[LabelName, str], Doc("Labels to add.")] = field(default_factory=dict)
    summary: Annotated[
        str, Doc("One line that says what is wrong, where. Prometheus templates are allowed.")
    ] = ""
    description: Annotated[str, Doc("What it means. Prometheus templates are allowed.")] = ""
    runbook: Annotated[Runbook | None, Doc("What the person who is woken does.")] = None
    scenarios: Annotated[tuple[Scenario, ...], Doc("Incidents that test it.")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Alerts(Spec):
    """What is worth waking someone."""

    owner: Annotated[Name, Doc("Who answers these alerts, one of the Tiers document's owners.")]
    alerts: Annotated[tuple[Alert, ...], Doc("The alerts.", non_empty=True)]
