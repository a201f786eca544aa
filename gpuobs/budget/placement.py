"""Where each figure falls: in one Prometheus, in all replicas of it, and in the long-term store."""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.budget import storage
from gpuobs.budget.figures import Figure
from gpuobs.budget.ledger import ClusterAccount, by_blocks, long_term, storage_of
from gpuobs.budget.numbers import precise
from gpuobs.spec.model import LongTerm


def placement(account: ClusterAccount) -> Iterator[Figure]:
    """What the replicas take together, and what the store takes of them; nothing where a Prometheus stands alone."""
    count, store = storage_of(account.policy).replicas, long_term(account.policy)
    if count == 1 and store is None:
        return
    times = f" x {count} {'replica' if count == 1 else 'replicas'}"
    for key, name, value, unit in (
        ("active", "active series", account.active, "series"),
        ("head", "series in the heads, at most", account.head, "series"),
        ("appendedPerSecond", "samples appended", account.appended_per_second, "samples/s"),
    ):
        shown = f"{value:,}" if unit == "series" else precise(value)
        yield Figure(key, name, value * count, unit, f"{shown}{times}")
    for key, name, value in (
        ("memory", "memory of the heads", account.memory),
        ("warm", "disk", account.warm),
    ):
        yield Figure(key, name, value * count, "bytes", f"{value:,.0f} bytes{times}")
    if store is not None:
        yield from _in_store(account, store, count, times)


def _in_store(account: ClusterAccount, store: LongTerm, count: int, times: str) -> Iterator[Figure]:
    sent = account.sent_per_second
    if store.kind == "federation":
        yield Figure("received", "samples that the central Prometheus scrapes", sent, "samples/s",
                     f"{precise(sent)} x 1 replica")  # fmt: skip
        return
    if not by_blocks(account.policy):
        name, value = f"samples that {store.kind} receives", sent * count
        yield Figure("received", name, value, "samples/s", f"{precise(sent)}{times}")
    kept, how = (count, times) if store.kind == "thanos" else (1, " x 1 replica")
    if not by_blocks(account.policy):
        name = f"series in memory of {store.kind}, at most"
        held = account.sent + account.sent_ended
        value = held * kept * store.replication
        copies = f"{held:,}{how} x {store.replication} copies"
        yield Figure("inMemory", name, value, "series", copies)
        if store.kind == "mimir":
            each = storage.SERIES_IN_INGESTER.value
            name = "memory of ingesters"
            yield Figure("ingesters", name, value * each, "bytes", f"{copies} x {each:,.0f} bytes")
    name = "object storage"
    yield Figure("cold", name, account.cold * kept, "bytes", f"{account.cold:,.0f} bytes{how}")


def deduplication(account: ClusterAccount) -> str:
    """What the store makes of several replicas' samples, in a sentence; nothing where there is nothing to say."""
    store, count = long_term(account.policy), storage_of(account.policy).replicas
    if store is None or count == 1:
        return ""
    return {
        "mimir": "Mimir keeps the samples of one replica, which its HA tracker elects, and drops the others' on arrival.",
        "thanos": "Thanos keeps every replica's samples: queriers show one of them, and only a compactor that is told to "
        "deduplicate stores one.",
        "federation": "The central Prometheus scrapes one replica.",
    }[store.kind]
