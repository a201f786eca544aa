"""The account as a report: every total with the sum that it comes from, tables, and what one more of each thing costs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from gpuobs.budget import changes, limits, storage
from gpuobs.budget.census import OF_A_SCRAPE, Factor, Line
from gpuobs.budget.changes import Change, Unfit
from gpuobs.budget.ledger import ClusterAccount, Ledger, by_blocks, ledger, long_term, storage_of
from gpuobs.budget.limits import Use, uses
from gpuobs.budget.recorded import RuleCost
from gpuobs.budget.unused import unused
from gpuobs.ir import Program, RecordingRule
from gpuobs.policy import Policy
from gpuobs.spec.scalars import duration


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A total, and the sum that it comes from. `unit` is series, samples/s, bytes or times."""

    key: str
    name: str
    value: float
    unit: str
    sum: str


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
class LabelCost:
    """What a label does to the series of an exporter: `times` is by how much it multiplies, 1 where it follows."""

    exporter: str
    label: str
    times: int
    series: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterReport:
    """One Prometheus of a cluster."""

    name: str
    account: ClusterAccount
    figures: tuple[Figure, ...]
    products: tuple[Product, ...]
    uses: tuple[Use, ...]

    def figure(self, key: str) -> Figure:
        return next(each for each in self.figures if each.key == key)

    @property
    def by_metric(self) -> list[tuple[str, int]]:
        """Collected metrics with their active series, most first."""
        return _most((line.name, line.active) for line in self.account.lines)

    @property
    def by_pool(self) -> list[tuple[str, int]]:
        """Pools, and exporters that stand beside them, with the series scraped of them."""
        return _most(
            (line.pool or f"({line.exporter.catalog.name})", line.active)
            for line in self.account.lines
        )

    @property
    def by_level(self) -> list[tuple[str, int]]:
        """Levels of rollups with the series that their rules write."""
        return _most((rule.level or "plain rules", rule.writes or 0) for rule in self._records)

    @property
    def by_rule(self) -> list[tuple[str, int]]:
        """Recorded metrics with the series that are written of them."""
        return _most((rule.name, rule.writes or 0) for rule in self._records)

    @property
    def by_group(self) -> list[tuple[str, int]]:
        """Rule groups with the series that one evaluation reads."""
        return _most((rule.group.name, rule.reads or 0) for rule in self.account.rules)

    @property
    def _records(self) -> Iterator[RuleCost]:
        return (rule for rule in self.account.rules if isinstance(rule.rule, RecordingRule))

    @property
    def by_label(self) -> list[LabelCost]:
        """Labels of the scraped series: those that multiply first."""
        found: dict[tuple[str, str], LabelCost] = {}
        for line in self.account.lines:
            exporter = str(line.exporter.catalog.name)
            times = {factor.what: factor.count for factor in line.factors}
            for label in line.exporter.labels_of(line.metric) if line.active else ():
                key = (exporter, label)
                before = found.get(key)
                found[key] = LabelCost(
                    exporter=exporter,
                    label=label,
                    times=max(times.get(label, 1), before.times if before else 1),
                    series=line.active + (before.series if before else 0),
                )
        return sorted(found.values(), key=lambda each: (-each.times, -each.series, each.label))


@dataclass(frozen=True, slots=True, kw_only=True)
class OneMore:
    """What a change adds, over all clusters and to one replica of each: series and samples in a second."""

    name: str
    active: int
    head: int
    per_second: float
    sent_per_second: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Unused:
    """A metric that is collected and that nobody reads, with its price over all clusters."""

    name: str
    series: int
    per_second: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The whole report."""

    fleet: str
    clusters: tuple[ClusterReport, ...]
    of_ruler: int
    one_more: tuple[OneMore, ...]
    unused: tuple[Unused, ...]
    unbounded: tuple[tuple[str, str], ...]  # metric and label
    assumptions: tuple[str, ...]
    rates: tuple[storage.Rate, ...] = storage.RATES


@lru_cache(maxsize=4)
def report(program: Program) -> Report:
    """The report of a program."""
    account = ledger(program)
    found = uses(account)
    return Report(
        fleet=program.fleet,
        clusters=tuple(_cluster(each, found) for each in account.clusters),
        of_ruler=sum(rule.writes or 0 for rule in account.of_ruler),
        one_more=tuple(_one_more(program, account)),
        unused=tuple(_unused(program, account)),
        unbounded=tuple(
            sorted({(line.name, label) for line in account.lines for label in line.unbounded})
        ),
        assumptions=tuple(_assumptions(account.policy)),
    )


def _cluster(account: ClusterAccount, found: Iterable[Use]) -> ClusterReport:
    return ClusterReport(
        name=account.name,
        account=account,
        figures=tuple(figures(account)),
        products=tuple(_products(account.lines)),
        uses=tuple(use for use in found if use.cluster == account.name),
    )


def _products(lines: Iterable[Line]) -> Iterator[Product]:
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
    yield from sorted(found, key=lambda each: (-each.series, each.pool, each.metrics))


# Totals --------------------------------------------------------------------------------------------------------------


def figures(account: ClusterAccount) -> Iterator[Figure]:
    """The totals of one Prometheus, each with its sum, in the order in which they build on each other."""
    targets = sum(group.count for group in account.targets)
    interval = account.policy.fleet.scrape_interval
    hours = f"{storage.HEAD_HOURS.value:g} h"
    series, rate, size = "series", "samples/s", "bytes"
    yield Figure(
        key="targets", name="targets", value=targets, unit="targets", sum=_of_targets(account)
    )
    yield Figure(
        key="scraped",
        name="series scraped",
        value=account.scraped,
        unit=series,
        sum=limits.of_scraped(account),
    )
    yield Figure(
        key="ofScrapes",
        name="series of the scrapes",
        value=account.of_scrapes,
        unit=series,
        sum=f"{targets:,} targets x {len(OF_A_SCRAPE)}",
    )
    yield Figure(
        key="recorded",
        name="series recorded",
        value=account.recorded,
        unit=series,
        sum=_terms(_most((r.level or "plain rules", r.writes or 0) for r in account.rules)),
    )
    yield Figure(
        key="active",
        name="active series",
        value=account.active,
        unit=series,
        sum=f"{account.scraped:,} scraped + {account.of_scrapes:,} of scrapes + {account.recorded:,} recorded",
    )
    yield Figure(
        key="churned",
        name=f"series that ended within {hours}",
        value=account.churned,
        unit=series,
        sum=_of_churn(account),
    )
    yield Figure(
        key="head",
        name="series in the head, at most",
        value=account.head,
        unit=series,
        sum=f"{account.active:,} active + {account.churned:,} ended",
    )
    yield Figure(
        key="scrapedPerSecond",
        name="samples scraped",
        value=account.scraped_per_second,
        unit=rate,
        sum=f"{account.scraped:,} series / {interval}",
    )
    yield Figure(
        key="appendedPerSecond",
        name="samples appended",
        value=account.appended_per_second,
        unit=rate,
        sum=limits.of_samples(account),
    )
    yield Figure(
        key="read",
        name="series read at each evaluation",
        value=account.read,
        unit=series,
        sum=limits.of_reads(account.rules),
    )
    yield from _of_store(account)
    yield Figure(
        key="memory",
        name="memory of the head",
        value=account.memory,
        unit=size,
        sum=f"{account.head:,} series x {storage.SERIES_IN_HEAD.value:,.0f} bytes",
    )
    tiers = storage_of(account.policy)
    for key, age, value in (("hot", tiers.hot, account.hot), ("warm", tiers.warm, account.warm)):
        yield Figure(
            key=key,
            name=f"{key} tier, {age} on disk",
            value=value,
            unit=size,
            sum=f"{account.appended_per_second:,.1f} samples/s x {age.seconds:,.0f} s x "
            f"{storage.SAMPLE_ON_DISK.value:g} bytes",
        )


def _of_store(account: ClusterAccount) -> Iterator[Figure]:
    store = long_term(account.policy)
    if store is None:
        return
    parts = _most((r.level or "plain rules", r.writes or 0) for r in account.sent_rules)
    raw = sum(line.active for line in account.sent_lines)
    yield Figure(
        key="sent",
        name="series sent on",
        value=account.sent,
        unit="series",
        sum=_terms([*parts, ("raw", raw)]) if raw else _terms(parts),
    )
    yield Figure(
        key="sentPerSecond",
        name="samples sent on",
        value=account.sent_per_second,
        unit="samples/s",
        sum=_of_sent(account, raw),
    )
    if account.write_reduction is not None and not by_blocks(account.policy):
        yield Figure(
            key="writeReduction",
            name="write reduction",
            value=account.write_reduction,
            unit="times",
            sum=f"{account.scraped_per_second + account.of_scrapes_per_second:,.1f} samples/s scraped / "
            f"{account.sent_per_second:,.1f} sent",
        )
    cold = storage_of(account.policy).cold
    yield Figure(
        key="cold",
        name=f"cold tier, {cold} in object storage",
        value=account.cold,
        unit="bytes",
        sum=f"{account.sent_per_second:,.1f} samples/s x {account.cold_seconds:,.0f} s x "
        f"{storage.SAMPLE_IN_STORE.value:g} bytes",
    )
    if store.kind == "mimir":
        yield Figure(
            key="ingesters",
            name="memory of ingesters",
            value=account.sent * store.replication * storage.SERIES_IN_INGESTER.value,
            unit="bytes",
            sum=f"{account.sent:,} series x {store.replication} copies x "
            f"{storage.SERIES_IN_INGESTER.value:,.0f} bytes",
        )


def _of_targets(account: ClusterAccount) -> str:
    terms = []
    for group in account.targets:
        where = f"pool {group.pool}" if group.pool else str(group.exporter.catalog.name)
        terms.append((f"of {where}", group.count))
    return _terms(terms)


def _of_churn(account: ClusterAccount) -> str:
    """Series with a pod's labels, over the life of a pod; rules show a pod as long as their windows do."""
    window, terms = storage.HEAD_SECONDS, Counter[tuple[str, float, float]]()
    for line in account.lines:
        if line.renewed:
            terms["scraped", window, 1 / line.renewed] += line.active
    for rule in account.rules:
        if rule.renewed:
            seconds = max(0, window - rule.lingers)
            terms["recorded", seconds, 1 / rule.renewed] += rule.held or 0
    ordered = sorted(terms.items(), key=lambda item: (-item[1], item[0]))
    shown = (
        f"{count:,} {what} x {seconds:,.0f} s / {life:,.0f} s"
        for (what, seconds, life), count in ordered
        if count
    )
    return " + ".join(shown) or "no series has a pod's labels"


def _of_sent(account: ClusterAccount, raw: int) -> str:
    intervals: Counter[float] = Counter()
    for rule in account.sent_rules:
        intervals[rule.interval] += rule.writes or 0
    terms = [
        f"{count:,} recorded / {duration(every)}" for every, count in sorted(intervals.items())
    ]
    if raw:
        terms.append(f"{raw:,} raw / {account.policy.fleet.scrape_interval}")
    return " + ".join(terms) or "nothing"


def _terms(found: Iterable[tuple[str, int]]) -> str:
    return " + ".join(f"{count:,} {name}" for name, count in found if count) or "0"


def _most(found: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Names with their sums, largest first, none of which is nothing."""
    total: Counter[str] = Counter()
    for name, count in found:
        total[name] += count
    return sorted(((n, c) for n, c in total.items() if c), key=lambda item: (-item[1], item[0]))


# One more ------------------------------------------------------------------------------------------------------------


def _one_more(program: Program, account: Ledger) -> Iterator[OneMore]:
    for change in _changes(account.policy):
        try:
            changed = ledger(program, change(account.policy))
        except Unfit:
            continue
        yield difference(str(change), account, changed)


def difference(name: str, before: Ledger, after: Ledger) -> OneMore:
    """What a change adds, over all clusters."""
    pairs = list(zip(before.clusters, after.clusters, strict=True))
    return OneMore(
        name=name,
        active=sum(new.active - old.active for old, new in pairs),
        head=sum(new.head - old.head for old, new in pairs),
        per_second=sum(new.appended_per_second - old.appended_per_second for old, new in pairs),
        sent_per_second=sum(new.sent_per_second - old.sent_per_second for old, new in pairs),
    )


def _changes(policy: Policy) -> Iterator[Change]:
    """One more of each thing, and what else is asked again and again."""
    for name in dict.fromkeys(str(pool.name) for _, pool, _ in policy.pools):
        yield changes.add_nodes(name, 1)
        yield changes.add_gpus(name, 1)
    for _, pool, model in policy.pools:
        if model.mig and not pool.mig:
            profile = max(model.mig, key=lambda each: (model.mig[each], str(each)))
            yield changes.mig(str(pool.name), {str(profile): model.mig[profile]})
    for exporter in policy.exporters:
        collected = {name for name, _ in exporter.written()}
        rest = (m for m in exporter.catalog.metrics if exporter.has(m.since) and not m.unsupported)
        field = next((m for m in rest if m.per == "gpu" and m.name not in collected), None)
        if exporter.catalog.vendor and field is not None:
            yield changes.collect(str(field.name))
    for exporter in policy.exporters:
        if exporter.catalog.vendor:
            yield changes.label(str(exporter.catalog.name), "one_more_label", 10)
    half = duration(policy.fleet.scrape_interval.seconds / 2)
    yield changes.scrape_interval(str(half))


def _unused(program: Program, account: Ledger) -> Iterator[Unused]:
    names = unused(program)
    interval = account.policy.fleet.scrape_interval.seconds
    found = _most((line.name, line.active) for line in account.lines if line.name in names)
    for name, series in found:
        yield Unused(name=name, series=series, per_second=series / interval)


def _assumptions(policy: Policy) -> Iterator[str]:
    yield "Nothing is wrong: metrics that exporters write only after an event have no series."
    yield "All numbers are of one Prometheus. Its replicas scrape, hold and send the same once more."
    for cluster in policy.fleet.clusters:
        loads = cluster.workloads
        if loads is None:
            yield f"{cluster.name}: each GPU is held by 1 pod, which lives 4 h: the fleet does not say."
        elif loads.identity == "none":
            yield f"{cluster.name}: exporters do not write which pod holds a GPU."
        else:
            gpus = f", each pod holds {loads.gpus_per_pod}" if loads.gpus_per_pod > 1 else ""
            yield (
                f"{cluster.name}: each GPU or MIG instance is held by {loads.pods_per_gpu} "
                f"{'pod' if loads.pods_per_gpu == 1 else 'pods'}{gpus}, and a pod lives {loads.pod_lifetime}."
            )
    yield "kube-state-metrics is counted for the fleet's nodes and the pods that hold GPUs, not for other pods."
    if policy.fleet.storage and policy.fleet.storage.replicas > 1:
        yield (
            f"{policy.fleet.storage.replicas} replicas of each Prometheus: the long-term store keeps one's samples, "
            "and is sent both's."
        )
