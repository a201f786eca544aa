"""The account as a report: every total with the sum that it comes from, tables, and what one more of each thing costs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from gpuobs.budget import storage
from gpuobs.budget.census import Factor, Line
from gpuobs.budget.figures import PLAIN, Figure, figures, most
from gpuobs.budget.labels import LabelCost, labels
from gpuobs.budget.ledger import ClusterAccount, Ledger, ledger
from gpuobs.budget.limits import Use, uses
from gpuobs.budget.one_more import OneMore, one_more
from gpuobs.budget.placement import deduplication, placement
from gpuobs.budget.recorded import RuleCost
from gpuobs.budget.things import Things, Written, assumptions, things, waiting, written
from gpuobs.budget.unused import unused
from gpuobs.ir import Program, RecordingRule


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """Metrics of one exporter in one pool whose series are the same product."""

    pool: str
    exporter: str
    factors: tuple[Factor, ...]
    metrics: tuple[str, ...]

    @property
    def series(self) -> int:
        return math.prod(factor.count for factor in self.factors) * len(self.metrics)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterReport:
    """One Prometheus of a cluster."""

    name: str
    account: ClusterAccount
    figures: tuple[Figure, ...]
    things: tuple[Things, ...]
    products: tuple[Product, ...]
    written: tuple[Written, ...]
    labels: tuple[LabelCost, ...]
    placement: tuple[Figure, ...]
    deduplication: str
    uses: tuple[Use, ...]

    @property
    def by_metric(self) -> list[tuple[str, int]]:
        """Collected metrics with their active series, most first."""
        return most((line.name, line.active) for line in self.account.lines)

    @property
    def by_pool(self) -> list[tuple[str, int]]:
        """Pools, and exporters that stand beside them, with the series scraped of them."""
        return most(
            (line.pool or f"({line.exporter.catalog.name})", line.active)
            for line in self.account.lines
        )

    @property
    def by_level(self) -> list[tuple[str, int]]:
        """Levels of rollups with the series that their rules write."""
        return most((rule.level or PLAIN, rule.writes or 0) for rule in self._records)

    @property
    def by_rule(self) -> list[tuple[str, int]]:
        """Recorded metrics with the series that are written of them."""
        return most((rule.name, rule.writes or 0) for rule in self._records)

    @property
    def by_reader(self) -> list[tuple[str, int]]:
        """Rules, alerts among them, with the series that they read at one evaluation."""
        return most((rule.name, rule.reads or 0) for rule in self.account.rules)

    @property
    def by_group(self) -> list[tuple[str, int]]:
        """Rule groups with the series that one evaluation reads."""
        return most((rule.group.name, rule.reads or 0) for rule in self.account.rules)

    @property
    def _records(self) -> Iterator[RuleCost]:
        return (rule for rule in self.account.rules if isinstance(rule.rule, RecordingRule))


@dataclass(frozen=True, slots=True, kw_only=True)
class Unused:
    """A metric that is collected and that nobody reads, with its price over all clusters."""

    name: str
    series: int
    per_second: float

    @property
    def memory(self) -> float:
        """Bytes of the head, of its active series alone."""
        return self.series * storage.SERIES_IN_HEAD.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """What the specs do not bound, and what has no series until something happens: none of it is counted."""

    labels: tuple[tuple[str, str], ...]  # metric and label
    rules: tuple[str, ...]  # whose series, or whose reads
    waiting: tuple[tuple[str, int | None], ...]  # metric and what it has at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The whole report."""

    fleet: str
    clusters: tuple[ClusterReport, ...]
    ruler_writes: int
    ruler_reads: int
    one_more: tuple[OneMore, ...]
    unused: tuple[Unused, ...]
    unknown: Unknown
    assumptions: tuple[str, ...]
    rates: tuple[storage.Rate, ...] = storage.RATES

    @property
    def exceeded(self) -> bool:
        """Whether a limit is broken."""
        return any(use.exceeded for cluster in self.clusters for use in cluster.uses)


@lru_cache(maxsize=4)
def report(program: Program) -> Report:
    """The report of a program."""
    account = ledger(program)
    found = uses(account)
    return Report(
        fleet=program.fleet,
        clusters=tuple(_cluster(each, found) for each in account.clusters),
        ruler_writes=sum(rule.writes or 0 for rule in account.of_ruler),
        ruler_reads=sum(rule.reads or 0 for rule in account.of_ruler),
        one_more=tuple(one_more(program, account)),
        unused=tuple(_unused(program, account)),
        unknown=_unknown(account),
        assumptions=tuple(assumptions(account.policy)),
    )


def _cluster(account: ClusterAccount, found: Iterable[Use]) -> ClusterReport:
    return ClusterReport(
        name=account.name,
        account=account,
        figures=tuple(figures(account)),
        things=tuple(things(account)),
        products=tuple(_products(account.lines)),
        written=tuple(written(account)),
        labels=tuple(labels(account.lines)),
        placement=tuple(placement(account)),
        deduplication=deduplication(account),
        uses=tuple(use for use in found if use.cluster == account.name),
    )


def _products(lines: Iterable[Line]) -> list[Product]:
    """Metrics with the same product, largest first."""
    alike: dict[tuple[str, str, tuple[Factor, ...]], list[str]] = {}
    for line in lines:
        if line.active:
            key = (line.pool, str(line.exporter.catalog.name), line.factors)
            alike.setdefault(key, []).append(line.name)
    found = [
        Product(pool=pool, exporter=exporter, factors=factors, metrics=tuple(sorted(metrics)))
        for (pool, exporter, factors), metrics in alike.items()
    ]
    return sorted(found, key=lambda each: (-each.series, each.pool, each.metrics))


def _unused(program: Program, account: Ledger) -> Iterator[Unused]:
    names = unused(program)
    interval = account.policy.fleet.scrape_interval.seconds
    found = most((line.name, line.active) for line in account.lines if line.name in names)
    for name, series in found:
        yield Unused(name=name, series=series, per_second=series / interval)


def _unknown(account: Ledger) -> Unknown:
    unbounded = {(line.name, label) for line in account.lines for label in line.unbounded}
    rules = {rule.name for rule in account.rules if rule.writes is None or rule.reads is None}
    return Unknown(
        labels=tuple(sorted(unbounded)),
        rules=tuple(sorted(rules)),
        waiting=tuple(waiting(account.lines)),
    )
