"""What a fleet uses of the limits that its Budget states, each with the sum that it comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from gpuobs.budget import storage
from gpuobs.budget.census import Factor, Line
from gpuobs.budget.ledger import ClusterAccount, Ledger
from gpuobs.budget.recorded import RuleCost
from gpuobs.diagnostics import Span
from gpuobs.spec.model import Budget, Limits
from gpuobs.spec.scalars import duration

_TERMS = 4  # of a sum; what is smaller stands together


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One limit in one cluster. `arithmetic` is what `value` is the result of, and `span` is where the limit is written.

    `at_least` is a promise: a smaller value breaks it, and it has no headroom.
    """

    limit: str
    cluster: str
    value: float
    bound: float
    headroom: float
    arithmetic: str
    span: Span
    at_least: bool = False

    @property
    def share(self) -> float:
        """What is used of the limit: above 1 it is broken."""
        if self.at_least:
            return self.bound / self.value
        return self.value / self.bound if self.bound else float("inf") if self.value else 0.0

    @property
    def exceeded(self) -> bool:
        """Whether the limit, or the promise, is broken."""
        return self.value < self.bound if self.at_least else self.value > self.bound

    @property
    def free(self) -> float:
        """What the value may be before the headroom is touched."""
        return self.bound if self.at_least else self.bound * (1 - self.headroom)

    @property
    def within_headroom(self) -> bool:
        """Whether the limit holds, but not with the headroom that was asked for."""
        return not self.exceeded and not self.at_least and self.value > self.free


@lru_cache(maxsize=4)
def uses(ledger: Ledger) -> tuple[Use, ...]:
    """Each limit that the Budget states, in each cluster."""
    budget = ledger.policy.budget
    if budget is None:
        return ()
    return tuple(
        _use(budget, account, key, *found)
        for account in ledger.clusters
        for key, found in _values(budget.limits, account)
    )


def _use(
    budget: Budget, account: ClusterAccount, key: str, bound: float, value: float, how: str
) -> Use:
    return Use(
        limit=key,
        cluster=account.name,
        value=value,
        bound=bound,
        headroom=budget.limits.headroom,
        arithmetic=how,
        span=budget.written.at_key("limits", key),
        at_least=key == WRITE_REDUCTION,
    )


ACTIVE_SERIES = "activeSeriesPerCluster"
HEAD_SERIES = "headSeriesPerCluster"
SERIES_PER_GPU = "seriesPerGpu"
RECORDED_SHARE = "recordedShare"
SAMPLES = "samplesPerSecondPerCluster"
WRITE_REDUCTION = "longTermWriteReduction"
READS = "seriesReadPerEvaluation"


def _values(
    limits: Limits, account: ClusterAccount
) -> Iterator[tuple[str, tuple[float, float, str]]]:
    """What is stated, its value, and how it is computed; nothing where there is nothing to divide by."""
    if limits.active_series_per_cluster is not None:
        yield ACTIVE_SERIES, (limits.active_series_per_cluster, account.active, of_active(account))
    if limits.head_series_per_cluster is not None:
        yield HEAD_SERIES, (limits.head_series_per_cluster, account.head, of_head(account))
    if limits.series_per_gpu is not None:
        value, how = per_gpu(account)
        yield SERIES_PER_GPU, (limits.series_per_gpu, value, how)
    if limits.recorded_share is not None and account.scraped:
        how = f"{account.recorded:,} recorded / {account.scraped:,} scraped"
        share = account.recorded / account.scraped
        yield RECORDED_SHARE, (limits.recorded_share, share, how)
    if limits.samples_per_second_per_cluster:
        bound = limits.samples_per_second_per_cluster
        yield SAMPLES, (bound, account.appended_per_second, of_samples(account))
    if limits.long_term_write_reduction is not None and account.write_reduction is not None:
        bound = limits.long_term_write_reduction
        yield WRITE_REDUCTION, (bound, account.write_reduction, of_reduction(account))
    if limits.series_read_per_evaluation is not None:
        yield READS, (limits.series_read_per_evaluation, account.read, of_reads(account.rules))


# How each is computed ------------------------------------------------------------------------------------------------


def of_active(account: ClusterAccount) -> str:
    """The sum of a cluster's active series."""
    terms = [
        *_products(account.lines),
        (account.of_scrapes, f"{account.of_scrapes:,} of the scrapes themselves"),
        (account.recorded, f"{account.recorded:,} recorded"),
    ]
    return _sum(terms)


def of_scraped(account: ClusterAccount) -> str:
    """The sum of the series that a cluster's exporters write."""
    return _sum(_products(account.lines))


def of_head(account: ClusterAccount) -> str:
    """The sum of the series in a cluster's head."""
    hours = f"{storage.HEAD_HOURS.value:g} h"
    return f"{account.active:,} active + {account.churned:,} that ended within {hours}"


def per_gpu(account: ClusterAccount) -> tuple[float, str]:
    """Series of the GPU exporters' targets over GPUs, in the pool that has most, and how it is computed.

    Series of a node, its links and its switches count as those of its GPUs; those of the scrapes themselves do not.
    """
    found: list[tuple[float, str]] = []
    cluster = next(c for c in account.policy.fleet.clusters if c.name == account.name)
    for pool in cluster.pools:
        series = sum(line.active for line in account.lines if line.pool == pool.name)
        gpus = pool.nodes * pool.gpus_per_node
        how = f"{series:,} series of pool '{pool.name}' / {gpus:,} GPUs"
        if gpus:
            found.append((series / gpus, how))
    return max(found, default=(0, "no GPUs"))


def of_samples(account: ClusterAccount) -> str:
    """The sum of the samples that a cluster's Prometheus appends in a second."""
    scraped = account.scraped + account.of_scrapes
    interval = account.policy.fleet.scrape_interval
    written: Counter[float] = Counter()
    for rule in account.rules:
        written[rule.interval] += rule.writes or 0
    recorded = [
        (series / seconds, f"{series:,} recorded / {duration(seconds)}")
        for seconds, series in written.items()
    ]
    return _sum([(scraped, f"{scraped:,} scraped / {interval}"), *recorded])


def of_reduction(account: ClusterAccount) -> str:
    """The quotient of the two sample rates."""
    scraped = account.scraped_per_second + account.of_scrapes_per_second
    sent = account.sent_per_second
    return f"{scraped:,.0f} samples a second scraped / {sent:,.0f} sent"


def of_reads(rules: Iterable[RuleCost]) -> str:
    """The sum of what rule groups read."""
    groups: Counter[str] = Counter()
    for rule in rules:
        groups[rule.group.name] += rule.reads or 0
    return _sum([(count, f"{count:,} of {name}") for name, count in groups.items()])


def of_target(lines: Iterable[Line]) -> tuple[int, str]:
    """Samples of one target of a pool's exporter at most, and their sum. What nobody bounds counts as one value."""
    alike = Counter(line.factors[1:] for line in lines if line.factors[0].what == "nodes")
    products = _shown(alike)
    return sum(round(series) for series, _ in products), _sum(products)


def _products(lines: Iterable[Line]) -> list[tuple[float, str]]:
    """One product for all metrics of the same entities."""
    return _shown(Counter(line.factors for line in lines if line.active))


def _shown(alike: Counter[tuple[Factor, ...]]) -> list[tuple[float, str]]:
    found: list[tuple[float, str]] = []
    for factors, metrics in alike.items():
        series = metrics
        for factor in factors:
            series *= factor.count
        shown = [str(factor) for factor in factors if factor.count != 1] or ["1 target"]
        if metrics > 1:
            shown.append(f"{metrics:,} metrics")
        found.append((series, " x ".join(shown)))
    return found


def _sum(terms: Iterable[tuple[float, str]]) -> str:
    """A sum of its largest terms, with the rest as one number."""
    ordered = sorted((term for term in terms if term[0]), key=lambda term: (-term[0], term[1]))
    shown = [text for _, text in ordered[:_TERMS]]
    rest = sum(value for value, _ in ordered[_TERMS:])
    return " + ".join([*shown, *([f"{rest:,.0f} more"] if rest else [])]) or "0"
