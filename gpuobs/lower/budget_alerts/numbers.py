"""What the alerts on the budget compare with: the Budget's limits, and the account where it states none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from gpuobs import names
from gpuobs.budget.ledger import ClusterAccount, Ledger, ledger
from gpuobs.exporters import ExporterInUse
from gpuobs.ir import Program
from gpuobs.lower import queries
from gpuobs.lower.collection import metrics_read
from gpuobs.lower.scrape import headroom, job, rounded_up
from gpuobs.policy import Policy
from gpuobs.spec.model import Limits

_DAY = 86_400.0
_SHOWN = 4  # clusters whose sums a description has


@dataclass(frozen=True, slots=True)
class Bound:
    """A number with the sum that it comes from."""

    value: float
    how: str


Bounds = Mapping[str, Bound]  # by cluster


@dataclass(frozen=True)
class Numbers:
    """The account of a program, bound by bound."""

    program: Program

    @cached_property
    def account(self) -> Ledger:
        return ledger(self.program)

    @cached_property
    def policy(self) -> Policy:
        return self.account.policy

    @property
    def limits(self) -> Limits:
        assert self.policy.budget is not None
        return self.policy.budget.limits

    @property
    def headroom(self) -> float:
        return headroom(self.policy)

    @property
    def first(self) -> str:
        """The cluster of the incidents."""
        return self.account.clusters[0].name

    @property
    def sent(self) -> Bounds:
        """What goes to the long-term store, which is no bound but explains others."""
        return {
            each.name: Bound(
                each.sent_per_second, f"{shown(each.sent_per_second)} samples a second"
            )
            for each in self.account.clusters
        }

    @cached_property
    def prometheus(self) -> str:
        """The job of Prometheus' own metrics."""
        return self.job_of("prometheus") or "prometheus"

    @cached_property
    def metrics_read(self) -> frozenset[str]:
        return frozenset(metrics_read(self.program))

    def job_of(self, catalog: str) -> str:
        """The job of the exporter with a catalog, or nothing where the fleet has none."""
        found = (e.spec.job for e in self.policy.exporters if e.catalog.name == catalog)
        return next(found, "")

    def stated(
        self, limit: float | None, key: str, count: Callable[[ClusterAccount], float]
    ) -> Bounds:
        """A limit of each cluster: the Budget's, else what the account says, and the headroom more."""
        return {
            account.name: Bound(limit, f"{key}: {limit:,.15g}")
            if limit is not None
            else self.predicted(count(account))
            for account in self.account.clusters
        }

    def predicted(self, count: float) -> Bound:
        """What the account says, and the headroom more, as a limit is made of it."""
        value = rounded_up(count * (1 + self.headroom))
        return Bound(value, f"{shown(count)} by the specs, and {self.headroom:.0%} more: {value:,}")

    def churn(self, account: ClusterAccount) -> Bound:
        """New series a second: those of pods; or all series once a day, where that is more."""
        days = account.churned_within(2 * _DAY) - account.churned_within(_DAY)
        daily = max(float(days), float(account.active))
        what = "that follow pods" if days >= account.active else "active ones once"
        value = round(daily * (1 + self.headroom) / _DAY, 3)
        how = f"{daily:,.0f} a day ({what}), and {self.headroom:.0%} more, / {_DAY:,.0f} s = {value:,}"
        return Bound(value, how)

    def samples(self, account: ClusterAccount, exporter: ExporterInUse) -> Bound | None:
        """Half-way between what a target can write and its sample limit; None where it has no limit."""
        limits = job(self.policy, account, exporter, self.metrics_read).limits
        if limits.samples is None:
            return None
        return Bound(
            round(limits.samples / (1 + self.headroom / 2)),
            limits.notes[0].removeprefix("sample limit: "),
        )


def shown(value: float) -> str:
    """A number of a sum: whole, or with two digits where it is small."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def over(expression: Callable[[str], str], bounds: Bounds) -> str:
    """Whether an expression is above each cluster's bound. The expression is given the matcher of clusters, if any."""
    return "\nor\n".join(
        f"{expression(matcher)} > {queries.number(value)}" for value, matcher in _alike(bounds)
    )


def _alike(bounds: Bounds) -> list[tuple[float, str]]:
    """Each value with the matcher of its clusters, which is empty where all have the same."""
    clusters: dict[float, list[str]] = {}
    for cluster, bound in bounds.items():
        clusters.setdefault(bound.value, []).append(cluster)
    if len(clusters) == 1:
        return [(next(iter(clusters)), "")]
    return [
        (value, ", " + queries.matcher(names.CLUSTER, found)) for value, found in clusters.items()
    ]


def sums(bounds: Bounds) -> str:
    """Where bounds come from, in words."""
    hows = list(dict.fromkeys(bound.how for bound in bounds.values()))
    if len(hows) == 1:
        return hows[0]
    shown = [f"{cluster}: {bound.how}" for cluster, bound in list(bounds.items())[:_SHOWN]]
    more = len(bounds) - len(shown)
    return "; ".join([*shown, *([f"and {more} more clusters"] if more else [])])
