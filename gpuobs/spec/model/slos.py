"""Slos: objectives, and how fast their budgets may burn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from gpuobs.spec.model.alerts import Runbook, Scenario
from gpuobs.spec.model.base import Doc, Item, Spec
from gpuobs.spec.scalars import Duration, Identifier, LabelName, MetricName, Name, PromQL

Burning = Literal["fast", "medium", "slow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GoodSignal(Item):
    """A signal that is 1 for what is good and 0 for what is not, or a share in between, of every GPU."""

    signal: Annotated[Identifier, Doc("The signal, recorded at the GPU level as `avg: [1m]`.")]
    level: Annotated[
        Literal["node", "cluster", "fleet"], Doc("What the objective is held for, one by one.")
    ] = "cluster"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled(Item):
    """How many things are good, of how many, at each evaluation."""

    good: Annotated[PromQL, Doc("The number of good ones.")]
    total: Annotated[PromQL, Doc("The number of all, with the same labels.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Events(Item):
    """Counters: events, and those of them that went wrong, or well."""

    total: Annotated[PromQL, Doc("Selector of counters of all events, without a range.")]
    error: Annotated[PromQL | None, Doc("Selector of those that went wrong. Or `good`.")] = None
    good: Annotated[PromQL | None, Doc("Selector of those that went well. Or `error`.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency(Item):
    """A histogram: what took longer than a bucket's edge went wrong."""

    histogram: Annotated[MetricName, Doc("The histogram, without `_bucket`.")]
    within: Annotated[
        str, Doc("The edge as it stands in the label `le`, such as `2.5`.", non_empty=True)
    ]
    match: Annotated[
        Mapping[LabelName, tuple[str, ...]], Doc("Only series whose label has one of these values.")
    ] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Burn(Item):
    """One alert of an objective. What is left out is as the SRE workbook has it."""

    off: Annotated[bool, Doc("No such alert.")] = False
    tier: Annotated[Name | None, Doc("Its tier.")] = None
    share: Annotated[
        float | None, Doc("Share of the whole budget that is gone within `window`.")
    ] = None
    window: Annotated[Duration | None, Doc("The long window.")] = None
    short: Annotated[Duration | None, Doc("The short window, over which it must still burn.")] = (
        None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Burns(Item):
    """The alerts of an objective, where they are not as the SRE workbook has them."""

    fast: Annotated[Burn | None, Doc("2 % of the budget within 1h, to the tier `page`.")] = None
    medium: Annotated[Burn | None, Doc("5 % of the budget within 6h, to the tier `page`.")] = None
    slow: Annotated[Burn | None, Doc("10 % of the budget within 3d, to the tier `ticket`.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnScenarios(Item):
    """Incidents that test the alerts of an objective."""

    fast: Annotated[tuple[Scenario, ...], Doc("Those of `fast`.")] = ()
    medium: Annotated[tuple[Scenario, ...], Doc("Those of `medium`.")] = ()
    slow: Annotated[tuple[Scenario, ...], Doc("Those of `slow`.")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Slo(Item):
    """An objective: the share of good in all, over a window."""

    name: Annotated[Name, Doc("Its name, unique in the project; the value of the label `slo`.")]
    objective: Annotated[float, Doc("The share that must be good, between 0 and 1.")]
    window: Annotated[Duration, Doc("Over how long.")] = Duration("30d")
    owner: Annotated[str, Doc("Its owner, if not the document's.")] = ""
    good: Annotated[GoodSignal | None, Doc("What is good, by a signal.")] = None
    sampled: Annotated[Sampled | None, Doc("What is good, counted at each evaluation.")] = None
    events: Annotated[Events | None, Doc("What is good, by counters.")] = None
    latency: Annotated[Latency | None, Doc("What is good, by a histogram.")] = None
    by: Annotated[
        tuple[LabelName, ...], Doc("Of `events` and `latency`: what it is held for, one by one.")
    ] = (LabelName("cluster"),)
    minimum_total: Annotated[
        float,
        Doc(
            "Fewer events than this within the long window alert nobody; of things, fewer of them.",
            minimum=0,
        ),
    ] = 0
    burn: Annotated[Burns | None, Doc("Its alerts, where they differ.")] = None
    summary: Annotated[
        str,
        Doc("One line of its alerts: what is not as promised. Prometheus templates are allowed."),
    ] = ""
    description: Annotated[str, Doc("What it means. Prometheus templates are allowed.")] = ""
    runbook: Annotated[Runbook | None, Doc("What the person who is woken does.")] = None
    scenarios: Annotated[BurnScenarios | None, Doc("Incidents that test its alerts.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Slos(Spec):
    """Objectives, each with alerts on how fast its budget burns."""

    owner: Annotated[Name, Doc("Who answers for them, one of the Tiers document's owners.")]
    slos: Annotated[tuple[Slo, ...], Doc("The objectives.", non_empty=True)]
