"""The account as the last build left it: what has grown since then breaks a limit, rather than what has not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gpuobs.budget.ledger import ClusterAccount, Ledger
from gpuobs.budget.limits import (
    HEAD_SERIES,
    READS,
    RECORDED_SHARE,
    SAMPLES,
    SERIES_PER_GPU,
    WRITE_REDUCTION,
    Use,
)

# A pool or an exporter and its metric; or one of these, and a rule.
_Part = tuple[str, str]
_RECORDED, _READ, _ENDED = "recorded", "read", ("ended", "")
_USUAL = 15  # seconds between two samples
_NOISE = 1e-4  # of a part: a report's numbers are rounded


@dataclass(frozen=True, slots=True)
class Before:
    """What the report of the last build says of each cluster."""

    clusters: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Growth:
    """By how much the parts of a limited value are more than they were before."""

    use: Use
    whole: Ledger
    now: Mapping[_Part, float]
    more: Mapping[_Part, float]

    def explained(self, without: Ledger) -> tuple[float, float]:
        """Which share of the growth there would not be without a choice, and how much else there would not be."""
        then = _parts_in(without, self.use)
        gone = {part: value - then.get(part, 0) for part, value in self.now.items()}
        of_growth = sum(min(max(gone[part], 0), by) for part, by in self.more.items())
        return of_growth / sum(self.more.values()), sum(map(abs, gone.values())) - of_growth


def read(text: str) -> Before | None:
    """What a report says; None where it is none of ours."""
    import json

    try:
        found = json.loads(text)["clusters"]
        return Before({str(name): dict(each) for name, each in found.items()})
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def growth(before: Before, now: Ledger, use: Use) -> Growth | None:
    """What has grown of a limited value; None where that is not known, or nothing has."""
    if use.limit == WRITE_REDUCTION or use.cluster not in before.clusters:
        return None
    try:
        then = _summed(_parts_before(before.clusters[use.cluster], use.limit))
    except (TypeError, KeyError, ValueError, ZeroDivisionError, AttributeError):
        return None
    parts = _parts_in(now, use)
    grown = {part: value - then.get(part, 0) for part, value in parts.items()}
    more = {part: by for part, by in grown.items() if by > parts[part] * _NOISE}
    return Growth(use, now, parts, more) if more else None


def _parts_in(account: Ledger, use: Use) -> dict[_Part, float]:
    of_cluster = (each for each in account.clusters if each.name == use.cluster)
    return _summed(part for each in of_cluster for part in _parts(each, use.limit))


def _summed(found: Iterable[tuple[_Part, float]]) -> dict[_Part, float]:
    total: dict[_Part, float] = {}
    for part, value in found:
        total[part] = total.get(part, 0) + value
    return total


def _parts(account: ClusterAccount, limit: str) -> Iterator[tuple[_Part, float]]:
    """What adds up to a limited value; for one of each GPU, by the GPUs of the pool.

    Of samples the series count too, which tell more nodes from shorter intervals.
    """
    if limit == READS:
        yield from (((_READ, rule.name), rule.reads or 0) for rule in account.rules)
        return
    pools = (pool for cluster, pool, _ in account.policy.pools if cluster.name == account.name)
    gpus = {str(pool.name): pool.nodes * pool.gpus_per_node for pool in pools}
    every = account.scrape_interval if limit == SAMPLES else 1
    for line in account.lines if limit != RECORDED_SHARE else ():
        share = gpus.get(line.pool) or 1 if limit == SERIES_PER_GPU else every
        place = line.pool or str(line.exporter.catalog.name)
        yield (place, line.name), line.active / share
        if limit == SAMPLES:
            yield (place, f"{line.name} series"), line.active / _USUAL
    for rule in account.rules if limit != SERIES_PER_GPU else ():
        every = rule.interval if limit == SAMPLES else 1
        yield (_RECORDED, rule.name), (rule.writes or 0) / every
    if limit == HEAD_SERIES:
        yield _ENDED, account.churned


def _parts_before(report: Mapping[str, Any], limit: str) -> Iterator[tuple[_Part, float]]:
    """The same of a report."""
    if limit == READS:
        yield from (((_READ, name), count) for name, count in report["reads"]["byRule"].items())
        return
    totals = {key: each["value"] for key, each in report["totals"].items()}
    gpus = {each["pool"]: each["gpus"] for each in report["things"]}
    every = totals["scraped"] / totals["scrapedPerSecond"] if limit == SAMPLES else 1
    for each in report["products"] if limit != RECORDED_SHARE else ():
        share = gpus.get(each["pool"]) or 1 if limit == SERIES_PER_GPU else every
        of_each = each["series"] / len(each["metrics"]) / share
        place = each["pool"] or each["exporter"]
        yield from (((place, name), of_each) for name in each["metrics"])
        if limit == SAMPLES:
            series = of_each * share / _USUAL
            yield from (((place, f"{name} series"), series) for name in each["metrics"])
    every = totals["recorded"] / totals["recordedPerSecond"] if limit == SAMPLES else 1
    for name, count in report["series"]["byRule"].items() if limit != SERIES_PER_GPU else ():
        yield (_RECORDED, name), count / every
    if limit == HEAD_SERIES:
        yield _ENDED, totals["churned"]
