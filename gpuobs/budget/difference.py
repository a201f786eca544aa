"""What changes would cost: the account before and after, in a terminal and for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from gpuobs.budget.as_json import rounded
from gpuobs.budget.figures import Figure, figures
from gpuobs.budget.ledger import ClusterAccount, Ledger
from gpuobs.budget.limits import Use, uses
from gpuobs.budget.numbers import decimal, number, signed, table
from gpuobs.budget.placement import placement
from gpuobs.budget.text import EXCEEDED, NEAR, TOGETHER, hanging


@dataclass(frozen=True, slots=True)
class Pair:
    """A figure before and after; None where there is none, such as a reduction of what is not sent."""

    key: str
    name: str
    unit: str
    before: float | None
    after: float | None

    @property
    def difference(self) -> float:
        return (self.after or 0) - (self.before or 0)


@dataclass(frozen=True, slots=True)
class Limited:
    """A limit before and after."""

    before: Use | None
    after: Use


@dataclass(frozen=True, slots=True)
class ClusterDifference:
    """One cluster: figures of one Prometheus, figures of all replicas with the store, and limits."""

    name: str
    figures: tuple[Pair, ...]
    placement: tuple[Pair, ...]
    limits: tuple[Limited, ...]

    @property
    def broken(self) -> Iterator[Limited]:
        """Limits that do not hold after the change."""
        return (limit for limit in self.limits if limit.after.exceeded)


def differences(before: Ledger, after: Ledger) -> tuple[ClusterDifference, ...]:
    """Every cluster, before and after."""
    was = {(use.limit, use.cluster): use for use in uses(before)}
    return tuple(
        ClusterDifference(
            old.name,
            tuple(_pairs(figures(old), figures(new))),
            tuple(_pairs(placement(old), placement(new))),
            tuple(
                Limited(was.get((use.limit, use.cluster)), use)
                for use in uses(after)
                if use.cluster == new.name
            ),
        )
        for old, new in _clusters(before, after)
    )


def _clusters(before: Ledger, after: Ledger) -> Iterable[tuple[ClusterAccount, ClusterAccount]]:
    return zip(before.clusters, after.clusters, strict=True)


def _pairs(before: Iterable[Figure], after: Iterable[Figure]) -> Iterator[Pair]:
    old, new = ({each.key: each for each in found} for found in (before, after))
    for key, each in {**old, **new}.items():
        values = (found[key].value if key in found else None for found in (old, new))
        yield Pair(key, each.name, each.unit, *values)


# In a terminal -------------------------------------------------------------------------------------------------------


def lines(change: str, found: Iterable[ClusterDifference], width: int) -> Iterator[str]:
    """What would change, and which limits would break."""
    yield f"If {change}"
    for cluster in found:
        yield from ("", f"Cluster {cluster.name}, one Prometheus", "")
        yield from _cluster(cluster, width)
        for limit in cluster.broken:
            yield from _broken(limit, width)


def _cluster(cluster: ClusterDifference, width: int) -> Iterator[str]:
    own = list(_changed(cluster.figures, width))
    together = list(_changed(cluster.placement, width))
    if not own and not together:
        yield "  nothing changes"
        return
    rows = [_limit(limit) for limit in cluster.limits]
    if rows:
        yield from (*table(("limit", "before", "after", "difference", "of", ""), rows), "")
    yield from own
    if together:
        yield from ("", f"  {TOGETHER}", "", *together)


def _changed(pairs: Iterable[Pair], width: int) -> Iterator[str]:
    """The figures that change."""
    rows = [
        (
            pair.name,
            _number(pair.before, pair),
            _number(pair.after, pair),
            signed(pair.difference, pair.unit),
        )
        for pair in pairs
        if pair.difference
    ]
    yield from table(("", "before", "after", "difference"), rows, 1, width)


def _number(value: float | None, pair: Pair) -> str:
    return "-" if value is None else number(value, pair.unit)


def _limit(limit: Limited) -> tuple[str, ...]:
    use, before = limit.after, limit.before
    state = EXCEEDED if use.exceeded else NEAR if use.within_headroom else ""
    bound = f"{'at least ' if use.at_least else ''}{use.bound:,.15g}"
    small = use.at_least or use.bound < 100
    shown = decimal if small else _count
    was = "-" if before is None else shown(before.value)
    change = use.value - before.value if before is not None else use.value
    sign = "-" if change < 0 else "+" if change else ""
    return use.limit, was, shown(use.value), f"{sign}{shown(abs(change))}", bound, state


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _broken(limit: Limited, width: int) -> Iterator[str]:
    use = limit.after
    already = limit.before is not None and limit.before.exceeded
    verb = "is broken already, and stays so" if already else "would break"
    shown = decimal(use.value) if use.at_least or use.bound < 100 else _count(use.value)
    bound = f"at least {use.bound:,.15g}" if use.at_least else f"{use.bound:,.15g}"
    yield ""
    yield f"'{use.limit}' of '{use.cluster}' {verb}: {shown} of {bound} {EXCEEDED}"
    yield from hanging("  = ", use.arithmetic, width)


# For programs --------------------------------------------------------------------------------------------------------


def tree(change: str, found: Iterable[ClusterDifference]) -> dict[str, Any]:
    """The same as an object; docs/budget.md says what its keys are."""
    clusters = tuple(found)
    return {
        "change": change,
        "exceeded": any(True for cluster in clusters for _ in cluster.broken),
        "clusters": {
            cluster.name: {
                "limits": [_use(limit) for limit in cluster.limits],
                "totals": _tree(cluster.figures),
                "allReplicas": _tree(cluster.placement),
            }
            for cluster in clusters
        },
    }


def _tree(pairs: Iterable[Pair]) -> dict[str, Any]:
    return {
        pair.key: {
            "before": None if pair.before is None else rounded(pair.before),
            "after": None if pair.after is None else rounded(pair.after),
            "difference": rounded(pair.difference),
            "unit": pair.unit,
        }
        for pair in pairs
    }


def _use(limit: Limited) -> dict[str, Any]:
    use, before = limit.after, limit.before
    return {
        "limit": use.limit,
        "before": None if before is None else rounded(before.value),
        "after": rounded(use.value),
        "bound": rounded(use.bound),
        "atLeast": use.at_least,
        "exceeded": use.exceeded,
        "withinHeadroom": use.within_headroom,
        "sum": use.arithmetic,
    }
