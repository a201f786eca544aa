"""The totals of one Prometheus, each with the sum that it comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gpuobs.budget import limits, storage
from gpuobs.budget.census import OF_A_SCRAPE, Factor, Line
from gpuobs.budget.ledger import (
    MONTH_DAYS,
    ClusterAccount,
    by_blocks,
    long_term,
    retention_seconds,
    storage_of,
)
from gpuobs.budget.numbers import precise, product, terms
from gpuobs.budget.recorded import RuleCost
from gpuobs.ir import AlertingRule
from gpuobs.spec.model import LongTerm

_FEW = 3  # products that are shown as the sum of all series; more stand in a table
PLAIN = "plain rules"


@dataclass(frozen=True, slots=True)
class Figure:
    """A total, and the sum that it comes from: a `x b + c / d`, in which words say what is counted."""

    key: str
    name: str
    value: float
    unit: str  # series, targets, bytes; samples/s and series/s; of a ratio nothing
    sum: str


def figures(account: ClusterAccount) -> Iterator[Figure]:
    """The totals, in the order in which they build on each other."""
    yield from _of_series(account)
    yield from _of_pods(account)
    yield from _of_samples(account)
    yield from _of_rules(account)
    yield from _of_store(account)
    yield from _of_bytes(account)


def most(found: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Names with their sums, largest first, none of which is nothing."""
    total: Counter[str] = Counter()
    for name, count in found:
        total[name] += count
    return sorted(((n, c) for n, c in total.items() if c), key=lambda item: (-item[1], item[0]))


def place(line: Line) -> str:
    """Where a metric's series come from: a pool, or an exporter that stands beside them."""
    return f"of pool {line.pool}" if line.pool else f"of {line.exporter.catalog.name}"


def _of_series(account: ClusterAccount) -> Iterator[Figure]:
    targets = sum(group.count for group in account.targets)
    scraped, of_scrapes, recorded = account.scraped, account.of_scrapes, account.recorded
    yield Figure("targets", "targets", targets, "targets", _of_targets(account))
    yield Figure("scraped", "series scraped", scraped, "series", _of_scraped(account))
    each = f"{Factor(targets, 'targets')} x {len(OF_A_SCRAPE)} series of each"
    yield Figure("ofScrapes", "series of the scrapes", of_scrapes, "series", each)
    levels = _levels(account.rules)
    yield Figure("recorded", "series recorded", recorded, "series", terms(levels))
    whole = f"{scraped:,} scraped + {of_scrapes:,} of scrapes + {recorded:,} recorded"
    yield Figure("active", "active series", account.active, "series", whole)
    value, how = limits.per_gpu(account)
    yield Figure("seriesPerGpu", "series scraped for each GPU", value, "", how)


def _of_targets(account: ClusterAccount) -> str:
    found = []
    for group in account.targets:
        catalog = str(group.exporter.catalog.name)
        found.append((f"of {catalog}{f' in pool {group.pool}' if group.pool else ''}", group.count))
    return terms(found)


def _of_scraped(account: ClusterAccount) -> str:
    """The products themselves where they are few; else the pools, whose products stand in a table."""
    alike: Counter[tuple[Factor, ...]] = Counter(
        line.factors for line in account.lines if line.active
    )
    if len(alike) <= _FEW:
        return " + ".join(product(*each) for each in alike.items()) or "0"
    return terms(most((place(line), line.active) for line in account.lines))


def _levels(rules: Iterable[RuleCost]) -> list[tuple[str, int]]:
    return most((rule.level or PLAIN, rule.writes or 0) for rule in rules)


# Pods that come and go -----------------------------------------------------------------------------------------------


def _of_pods(account: ClusterAccount) -> Iterator[Figure]:
    hours, churned = f"{storage.HEAD_HOURS.value:g} h", account.churned
    born = _born(account)
    rate = account.born_per_second
    yield Figure("bornPerSecond", "series born, as pods follow", rate, "series/s", born)
    ended = _ended(account.lines, account.rules)
    yield Figure("churned", f"series that ended within {hours}", churned, "series", ended)
    whole = f"{account.active:,} active + {churned:,} ended"
    yield Figure("head", "series in the head, at most", account.head, "series", whole)


def _born(account: ClusterAccount) -> str:
    """Series with a pod's labels, over the life of a pod."""
    found: Counter[tuple[str, float]] = Counter()
    for line in account.lines:
        if line.renewed:
            found["scraped", 1 / line.renewed] += line.active
    for rule in account.rules:
        if rule.renewed:
            found["recorded", 1 / rule.renewed] += rule.held or 0
    shown = (
        f"{count:,} {what} / {_seconds(life)}" for (what, life), count in found.items() if count
    )
    return " + ".join(shown) or "0: no series has a pod's labels"


def _ended(lines: Iterable[Line], rules: Iterable[RuleCost]) -> str:
    """Those that ended while the head keeps them; a rule shows a pod as long as its windows do."""
    window = storage.HEAD_SECONDS
    found: Counter[tuple[str, float, float]] = Counter()
    for line in lines:
        if line.renewed:
            found["scraped", window, 1 / line.renewed] += line.active
    for rule in rules:
        if rule.renewed:
            found["recorded", max(0, window - rule.lingers), 1 / rule.renewed] += rule.held or 0
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    shown = (
        f"{count:,} {what} x {_seconds(kept)} / {_seconds(life)}"
        for (what, kept, life), count in ordered
        if count
    )
    return " + ".join(shown) or "0: no series has a pod's labels"


# Samples and reads ---------------------------------------------------------------------------------------------------


def _of_samples(account: ClusterAccount) -> Iterator[Figure]:
    every, unit = _seconds(account.scrape_interval), "samples/s"
    scraped, of_scrapes = account.scraped_per_second, account.of_scrapes_per_second
    recorded = account.recorded_per_second
    how = f"{account.scraped:,} series / {every}"
    yield Figure("scrapedPerSecond", "samples scraped", scraped, unit, how)
    how = f"{account.of_scrapes:,} series / {every}"
    yield Figure("ofScrapesPerSecond", "samples of the scrapes", of_scrapes, unit, how)
    how = _rates(account.rules)
    yield Figure("recordedPerSecond", "samples recorded", recorded, unit, how)
    of_exporters = (
        f"{account.scraped:,} scraped / {every} + {account.of_scrapes:,} of scrapes / {every}"
    )
    how = f"{of_exporters} + {_rates(account.rules, 'recorded')}"
    appended = account.appended_per_second
    yield Figure("appendedPerSecond", "samples appended", appended, unit, how)


def _of_rules(account: ClusterAccount) -> Iterator[Figure]:
    alerts = sum(r.reads or 0 for r in account.rules if isinstance(r.rule, AlertingRule))
    kinds = (("by recording rules", account.read - alerts), ("by alerting rules", alerts))
    yield Figure("read", "series read at each evaluation", account.read, "series", terms(kinds))
    if account.scraped:
        share = account.recorded / account.scraped
        how = f"{account.recorded:,} recorded / {account.scraped:,} scraped"
        yield Figure("recordedShare", "recorded for each scraped", share, "", how)


def _rates(rules: Iterable[RuleCost], what: str = "series") -> str:
    written: Counter[float] = Counter()
    for rule in rules:
        written[rule.interval] += rule.writes or 0
    shown = (f"{count:,} {what} / {_seconds(every)}" for every, count in sorted(written.items()))
    return " + ".join(shown) or "0"


# The long-term store, and bytes --------------------------------------------------------------------------------------


def _of_store(account: ClusterAccount) -> Iterator[Figure]:
    store = long_term(account.policy)
    if store is None:
        return
    raw, sent, rate = account.sent_raw, account.sent, account.sent_per_second
    parts = terms([*_levels(account.sent_rules), ("raw", raw)])
    yield Figure("sent", "series sent on", sent, "series", parts)
    if store.kind != "federation" and not by_blocks(account.policy):
        ended, hours = account.sent_ended, f"{storage.HEAD_HOURS.value:g} h"
        how = _ended(account.sent_lines, account.sent_rules)
        name = f"series sent on that ended within {hours}"
        yield Figure("sentEnded", name, ended, "series", how)
        how = f"{sent:,} sent on + {ended:,} ended"
        name = "series in the store's memory, at most"
        yield Figure("sentHead", name, sent + ended, "series", how)
    rates = [_rates(account.sent_rules)] if account.sent_rules else []
    rates += [f"{raw:,} raw / {_seconds(account.scrape_interval)}"] if raw else []
    how = " + ".join(rates) or "0"
    yield Figure("sentPerSecond", "samples sent on", rate, "samples/s", how)
    if account.write_reduction is not None and not by_blocks(account.policy):
        scraped = account.scraped_per_second + account.of_scrapes_per_second
        how = f"{precise(scraped)} samples/s scraped / {precise(rate)} sent on"
        yield Figure("writeReduction", "write reduction", account.write_reduction, "times", how)
    yield from _in_store(account, store)


def _in_store(account: ClusterAccount, store: LongTerm) -> Iterator[Figure]:
    cold, each = storage_of(account.policy).cold, storage.SAMPLE_IN_STORE.value
    how = f"{precise(account.sent_per_second)} samples/s x {_age(str(cold))} x {each:g} bytes"
    where = "the central disk" if store.kind == "federation" else "object storage"
    yield Figure("cold", f"{where}, {cold} (cold)", account.cold, "bytes", how)
    if store.kind == "mimir":
        each, held = storage.SERIES_IN_INGESTER.value, account.sent + account.sent_ended
        value = held * store.replication * each
        how = f"{held:,} series x {store.replication} copies x {each:,.0f} bytes"
        yield Figure("ingesters", "memory of ingesters", value, "bytes", how)


def _of_bytes(account: ClusterAccount) -> Iterator[Figure]:
    how = f"{account.head:,} series x {storage.SERIES_IN_HEAD.value:,.0f} bytes"
    yield Figure("memory", "memory of the head", account.memory, "bytes", how)
    tiers, each = storage_of(account.policy), f"{storage.SAMPLE_ON_DISK.value:g} bytes"
    rate = f"{precise(account.appended_per_second)} samples/s"
    for key, name, age, value in (
        ("warm", f"disk, {tiers.warm} (warm)", tiers.warm, account.warm),
        ("hot", f"of it the last {tiers.hot} (hot)", tiers.hot, account.hot),
    ):
        yield Figure(key, name, value, "bytes", f"{rate} x {_seconds(age.seconds)} x {each}")


def _age(retention: str) -> str:
    """The seconds of a retention, as a product where it is in months."""
    if retention.endswith("mo"):
        return f"{retention[:-2]} months x {MONTH_DAYS:g} days x {24 * 3600:,} s"
    return _seconds(retention_seconds(retention))


def _seconds(value: float) -> str:
    return f"{value:,.15g} s"
