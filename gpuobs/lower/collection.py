"""Policy and program to what is collected, scraped, sent and limited. Every number comes from the account."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpuobs import names, promql
from gpuobs.budget.ledger import ClusterAccount, ledger, long_term, other_clusters, storage_of
from gpuobs.ir import Program
from gpuobs.lower import queries
from gpuobs.lower.patterns import pattern
from gpuobs.lower.scrape import enforced, headroom, job, namespace_of, rounded_up
from gpuobs.lower.store import CATCH_UP, SAMPLES_PER_SEND, store_plan
from gpuobs.plan import (
    CollectionPlan,
    Federation,
    Field,
    FieldList,
    Limits,
    PrometheusPlan,
    Queue,
    RemoteWrite,
)
from gpuobs.policy import Policy
from gpuobs.spec.model import Metric
from gpuobs.spec.scalars import duration

# One request in each second and shard: what a store on another continent still answers.
_SECONDS_A_REQUEST = 1.0
_CAPACITY = (
    5  # requests in each shard's queue: 3 to 10, by prometheus.io/docs/practices/remote_write
)
_MOST_SHARDS = 50  # Prometheus' default in 3.x, by its documentation of queue_config
# What Mimir deduplicates by (ha_replica_label), and what the operator calls it, which Thanos' queriers are told.
_REPLICA_LABELS = {"mimir": "__replica__", "thanos": "prometheus_replica"}


def collection(program: Program) -> CollectionPlan:
    """What the exporters, each Prometheus and the long-term store are told."""
    policy = program.policy
    assert policy is not None
    account = ledger(program)
    return CollectionPlan(
        fields=tuple(_field_lists(program, policy)),
        clusters=tuple(_prometheus(program, policy, each) for each in account.clusters),
        store=store_plan(program, account),
    )


# Fields --------------------------------------------------------------------------------------------------------------


def _field_lists(program: Program, policy: Policy) -> Iterator[FieldList]:
    """The fields of each exporter that is told which to collect: those of GPUs."""
    read = frozenset(metrics_read(program))
    for exporter in policy.exporters:
        if exporter.catalog.vendor:
            fields = [
                Field(name=name, kind=_kind(metric), help=metric.help, used=name in read)
                for name, metric in exporter.written()
            ]
            yield FieldList(
                catalog=str(exporter.catalog.name),
                vendor=exporter.catalog.vendor,
                namespace=namespace_of(exporter),
                fields=tuple(sorted(fields, key=lambda each: each.name)),
            )


def metrics_read(program: Program) -> Iterator[str]:
    """Metrics and records that rules select."""
    for rule in program.rules:
        parsed = promql.parse(rule.expr, program.version)
        if isinstance(parsed, promql.Parsed):
            yield from (selector.name for selector in promql.selectors(parsed))


def _kind(metric: Metric) -> str:
    """What a metric is to its exporter: a code or a rate is a gauge."""
    return metric.kind if metric.kind in ("counter", "label") else "gauge"


# Scraping ------------------------------------------------------------------------------------------------------------


def _prometheus(program: Program, policy: Policy, account: ClusterAccount) -> PrometheusPlan:
    storage, store = storage_of(policy), long_term(policy)
    scraped = {id(group.exporter) for group in account.targets}
    jobs = [exporter for exporter in policy.exporters if id(exporter) in scraped]
    written = (
        store is not None and store.kind in ("mimir", "thanos") and store.mode == "remote-write"
    )
    more = headroom(policy)
    read = frozenset(metrics_read(program))
    return PrometheusPlan(
        cluster=account.name,
        replicas=storage.replicas,
        replica_label=_REPLICA_LABELS.get(store.kind, "") if store and storage.replicas > 1 else "",
        scrape_interval=str(policy.fleet.scrape_interval),
        evaluation_interval=str(policy.fleet.evaluation_interval),
        rule_files=tuple(file.name for file in program.rule_files if not file.of_fleet),
        jobs=tuple(job(policy, account, exporter, read) for exporter in jobs),
        remote_write=_remote_write(policy, account) if written and store and store.url else None,
        federation=_federation(policy, account) if store and store.kind == "federation" else None,
        retention=str(storage.warm),
        retention_bytes=math.ceil(account.warm * (1 + more)),
        sidecar=store is not None and store.kind == "thanos" and store.mode == "sidecar",
        notes=_retention_notes(account, str(storage.warm), more),
    )


def _retention_notes(account: ClusterAccount, warm: str, more: float) -> tuple[str, ...]:
    rate = f"{account.appended_per_second:,.1f} samples a second"
    size = f"{account.warm:,.0f} bytes"
    return (f"disk: {rate} for {warm}, at 2 bytes each, are {size}; and {more:.0%} more",)


# Sending on ----------------------------------------------------------------------------------------------------------


def sent_names(account: ClusterAccount) -> tuple[str, ...]:
    """Names of all metrics that are sent to the long-term store."""
    raw = {line.name for line in account.sent_lines}
    return tuple(sorted(raw | {rule.name for rule in account.sent_rules}))


# Mimir's, and thanos receive's default for --receive.tenant-header.
_TENANT_HEADERS = {"mimir": "X-Scope-OrgID", "thanos": "THANOS-TENANT"}


def _remote_write(policy: Policy, account: ClusterAccount) -> RemoteWrite:
    store = long_term(policy)
    assert store is not None
    return RemoteWrite(
        name=f"{store.kind}-{account.name}",
        url=store.url,
        headers={_TENANT_HEADERS[store.kind]: store.tenant} if store.tenant else {},
        keep=pattern(sent_names(account)),
        others="|".join(other_clusters(policy, account.name)),
        queue=queue(account.sent_per_second),
    )


def queue(samples_per_second: float) -> Queue:
    """A queue for a rate of samples, by prometheus.io/docs/practices/remote_write."""
    needed = math.ceil(samples_per_second * _SECONDS_A_REQUEST / SAMPLES_PER_SEND)
    least = max(1, needed)
    most = max(least, min(_MOST_SHARDS, CATCH_UP * least))
    cut = "" if most == CATCH_UP * least else f", but {most} at most"
    return Queue(
        samples_per_send=SAMPLES_PER_SEND,
        capacity=_CAPACITY * SAMPLES_PER_SEND,
        min_shards=least,
        max_shards=most,
        notes=(
            f"min_shards: {samples_per_second:,.1f} samples a second, {SAMPLES_PER_SEND:,} in a request, which may take "
            f"a second; max_shards: {CATCH_UP} times as many{cut}, to make up for an outage; capacity: {_CAPACITY} requests",
        ),
    )


def _federation(policy: Policy, account: ClusterAccount) -> Federation:
    enforce, more = enforced(policy), headroom(policy)
    matchers = [f'__name__=~"{pattern(sent_names(account))}"']
    if others := other_clusters(policy, account.name):
        matchers.append(queries.no_matcher(names.CLUSTER, others))
    limit = rounded_up(account.sent * (1 + more)) if enforce and enforce.sample_limit else None
    notes = () if limit is None else (f"{account.sent:,} series are sent; and {more:.0%} more",)
    interval = policy.fleet.evaluation_interval
    return Federation(
        interval=str(interval),
        timeout=str(duration(max(1, math.floor(interval.seconds * 2 / 3)))),
        match=(queries.selector("", matchers),) if sent_names(account) else (),
        limits=Limits(samples=limit, notes=notes),
    )
