"""Budget: what the fleet's monitoring may cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from gpuobs.spec.model.base import Doc, Item, Spec
from gpuobs.spec.scalars import LabelName, Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits(Item):
    """What may not be passed. A limit that is left out is not looked at."""

    active_series_per_cluster: Annotated[
        int | None,
        Doc("Series that one Prometheus of a cluster writes to at the same time.", minimum=1),
    ] = None
    head_series_per_cluster: Annotated[
        int | None,
        Doc(
            "Series that one Prometheus of a cluster holds in its head: active ones, and those that pods left behind.",
            minimum=1,
        ),
    ] = None
    series_per_gpu: Annotated[
        float | None,
        Doc(
            "Active series of the GPU exporters for one GPU, in the pool that has most.", minimum=1
        ),
    ] = None
    recorded_share: Annotated[
        float | None, Doc("Recorded series over scraped series, in each cluster.", minimum=0)
    ] = None
    samples_per_second_per_cluster: Annotated[
        float | None,
        Doc("Samples that one Prometheus of a cluster appends in a second.", minimum=0),
    ] = None
    long_term_write_reduction: Annotated[
        float | None,
        Doc(
            "Scraped samples per second over those sent to the long-term store, at least.",
            minimum=1,
        ),
    ] = None
    series_read_per_evaluation: Annotated[
        int | None,
        Doc(
            "Series that the rules of one Prometheus read at one evaluation, in each cluster.",
            minimum=1,
        ),
    ] = None
    headroom: Annotated[
        float,
        Doc(
            "Share of each limit that stays free: beyond it a warning, beyond the limit an error.",
            minimum=0,
        ),
    ] = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelPolicy(Item):
    """Which labels may be where."""

    forbid: Annotated[
        tuple[LabelName, ...], Doc("Labels that no series may have, raw or recorded.")
    ] = ()
    only_in_rollups: Annotated[
        tuple[LabelName, ...],
        Doc("Labels that reach the long-term store in rollups only, and never on a raw series."),
    ] = ()
    values: Annotated[
        Mapping[LabelName, int],
        Doc(
            "Label to the number of values that one GPU has at a time, where the catalog does not bound it."
        ),
    ] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Enforce(Item):
    """Which limits the scrape and the long-term store enforce."""

    sample_limit: Annotated[bool, Doc("Whether scrapes get a `sample_limit`.")] = True
    label_limit: Annotated[
        bool, Doc("Whether scrapes get a `label_limit` and limits of their lengths.")
    ] = True
    tenant_limits: Annotated[
        bool, Doc("Whether the long-term store gets limits for the tenant.")
    ] = True


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetAlerts(Item):
    """Who is told when what runs is not as the Budget says."""

    owner: Annotated[Name, Doc("Who answers them, one of the Tiers document's owners.")]
    tier: Annotated[Name, Doc("Their tier: nothing here is lost within the hour.")] = Name("ticket")
    page_tier: Annotated[
        Name | None,
        Doc("Tier of those that fire while something is lost; by default `tier`."),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget(Spec):
    """What the monitoring may cost. A project has at most one."""

    limits: Annotated[Limits, Doc("What may not be passed.")]
    labels: Annotated[LabelPolicy | None, Doc("Which labels may be where.")] = None
    alerts: Annotated[
        BudgetAlerts | None, Doc("Alerts on the budget itself; without this there are none.")
    ] = None
    enforce: Annotated[Enforce | None, Doc("Which limits are enforced. By default all.")] = None
