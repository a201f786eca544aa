"""What one more of each thing would cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from gpuobs.budget import changes, storage
from gpuobs.budget.changes import Change, Unfit
from gpuobs.budget.ledger import ClusterAccount, Ledger, ledger, storage_of
from gpuobs.exporters import ExporterInUse
from gpuobs.ir import Program
from gpuobs.policy import Policy
from gpuobs.spec.scalars import duration

_VALUES = 10  # of the label that is one more


@dataclass(frozen=True, slots=True, kw_only=True)
class OneMore:
    """What a change adds, over all clusters, to one replica of each; of a replica it is the whole that it does."""

    name: str
    active: int
    head: int
    per_second: float
    sent_per_second: float

    @property
    def memory(self) -> float:
        """Bytes of memory for the head."""
        return self.head * storage.SERIES_IN_HEAD.value


# Of larger fleets the largest pools: each price is an account of its own.
_MOST_POOLS = 8


def one_more(program: Program, account: Ledger) -> Iterator[OneMore]:
    """The prices, of what fits the fleet."""
    for change in _changes(account.policy):
        try:
            changed = ledger(program, change(account.policy))
        except Unfit:
            continue
        yield _difference(str(change), account, changed, 1, 1)
    count = storage_of(account.policy).replicas
    changed = ledger(program, changes.replicas(count + 1)(account.policy))
    yield _difference("one more replica of each Prometheus", account, changed, count, count + 1)


def _difference(name: str, before: Ledger, after: Ledger, was: int, now: int) -> OneMore:
    """What so many replicas of each Prometheus do after a change, less what they did."""
    pairs = list(zip(before.clusters, after.clusters, strict=True))

    def added(value: str) -> float:
        found: float = sum(
            now * _value(new, value) - was * _value(old, value) for old, new in pairs
        )
        return found

    return OneMore(
        name=name,
        active=int(added("active")),
        head=int(added("head")),
        per_second=added("appended_per_second"),
        sent_per_second=added("sent_per_second"),
    )


def _value(account: ClusterAccount, name: str) -> float:
    found: float = getattr(account, name)
    return found


def _changes(policy: Policy) -> Iterator[Change]:
    """One more of each thing, and what else is asked again and again."""
    names = Counter(str(pool.name) for _, pool, _ in policy.pools)
    largest = sorted(policy.pools, key=lambda entry: -entry[1].nodes * entry[1].gpus_per_node)
    for cluster, pool, model in sorted(largest[:_MOST_POOLS], key=policy.pools.index):
        name = str(pool.name) if names[str(pool.name)] == 1 else f"{cluster.name}/{pool.name}"
        yield changes.add_nodes(name, 1)
        yield changes.add_gpus(name, 1)
        if model.mig and not pool.mig:
            profile = max(model.mig, key=lambda each: (model.mig[each], str(each)))
            yield changes.mig(name, {str(profile): model.mig[profile]})
    for exporter in policy.exporters:
        if exporter.catalog.vendor:
            yield from _of_exporter(exporter)
    interval = policy.fleet.scrape_interval
    half = changes.scrape_interval(str(duration(interval.seconds / 2)))
    name = f"half the scrape interval of {interval}: twice the samples, the same series"
    yield replace(half, name=name)


def _of_exporter(exporter: ExporterInUse) -> Iterator[Change]:
    """One more field of each GPU, and one more label on everything."""
    catalog = str(exporter.catalog.name)
    collected = {name for name, _ in exporter.written()}
    rest = (m for m in exporter.catalog.metrics if exporter.has(m.since) and not m.unsupported)
    field = next((m for m in rest if m.per == "gpu" and m.name not in collected), None)
    if field is not None:
        change = changes.collect(f"{catalog}/{field.name}")
        yield replace(change, name=f"one more field of {catalog}, such as {field.name}")
    change = changes.label(catalog, "one_more", _VALUES)
    yield replace(change, name=f"one more label of {_VALUES} values on every series of {catalog}")
