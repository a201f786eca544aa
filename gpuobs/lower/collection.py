"""Policy and program to what is collected, scraped, sent and limited. Every number comes from the account."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from gpuobs import names, promql
from gpuobs.budget.ledger import ClusterAccount, ledger, long_term, storage_of
from gpuobs.ir import Program
from gpuobs.lower.store import store_plan
from gpuobs.plan import (
    CollectionPlan,
    Federation,
    Field,
    FieldList,
    Limits,
    PrometheusPlan,
    Queue,
    RemoteWrite,
    ScrapeJob,
)
from gpuobs.policy import ExporterInUse, Policy
from gpuobs.spec.model import Enforce, Metric
from gpuobs.spec.scalars import duration

# Kubernetes' longest names are DNS subdomains of 253 characters (RFC 1123); twice that leaves room for a prefix.
LABEL_VALUE_LENGTH = 512
# One request in each second and shard: what a store on another continent still answers.
_SECONDS_A_REQUEST = 1.0
_SAMPLES_PER_SEND = 2000  # Prometheus' default since 2.53; older ones take it too
_CAPACITY = (
    5  # requests in each shard's queue: 3 to 10, by prometheus.io/docs/practices/remote_write
)
_CATCH_UP = 10  # times the usual rate, so that an hour's backlog is sent in seven minutes
_MOST_SHARDS = 50  # Prometheus' default since 2.53


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
    read = frozenset(_read(program))
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


def _read(program: Program) -> Iterator[str]:
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
    headroom = _headroom(policy)
    return PrometheusPlan(
        cluster=account.name,
        replicas=storage.replicas,
        scrape_interval=str(policy.fleet.scrape_interval),
        evaluation_interval=str(policy.fleet.evaluation_interval),
        rule_files=tuple(file.name for file in program.rule_files if not file.of_fleet),
        jobs=tuple(_job(policy, account, exporter) for exporter in jobs),
        remote_write=_remote_write(policy, account) if written else None,
        federation=_federation(policy, account) if store and store.kind == "federation" else None,
        retention=str(storage.warm),
        retention_bytes=math.ceil(account.warm * (1 + headroom)),
        sidecar=store is not None and store.kind == "thanos" and store.mode == "sidecar",
        notes=_retention_notes(account, str(storage.warm), headroom),
    )


def _retention_notes(account: ClusterAccount, warm: str, headroom: float) -> tuple[str, ...]:
    return (
        f"{account.appended_per_second:,.1f} samples a second for {warm}, at 2 bytes each: {account.warm:,.0f} bytes",
        f"and {headroom:.0%} more",
    )


def _job(policy: Policy, account: ClusterAccount, exporter: ExporterInUse) -> ScrapeJob:
    endpoint, usual, catalog = exporter.spec.endpoint, exporter.catalog.usual, exporter.catalog
    interval = policy.fleet.scrape_interval
    timeout = endpoint.timeout if endpoint and endpoint.timeout else None
    cluster, pool = (_label(exporter, name) for name in (names.CLUSTER, names.POOL))
    constant = {str(k): v for k, v in exporter.spec.target_labels.items() if v}
    return ScrapeJob(
        name=exporter.spec.job,
        catalog=str(catalog.name),
        namespace=namespace_of(exporter),
        selector=dict(endpoint.selector if endpoint else {})
        or {str(k): v for k, v in (usual.selector if usual else {}).items()}
        or {"app.kubernetes.io/name": str(catalog.name)},
        port=(endpoint.port if endpoint else "") or (usual.port if usual else "") or "metrics",
        path=endpoint.path if endpoint else (usual.path if usual and usual.path else "/metrics"),
        scheme=endpoint.scheme if endpoint else "http",
        interval=str(interval),
        timeout=str(timeout or duration(max(1, math.floor(interval.seconds * 2 / 3)))),
        honor_labels=exporter.spec.honor_labels,
        pool_label=policy.fleet.pool_label if catalog.vendor else "",
        labels={cluster: account.name, **({pool: ""} if catalog.vendor else {}), **constant},
        metric_relabelings=exporter.relabelings,
        limits=_limits(policy, account, exporter),
    )


def _label(exporter: ExporterInUse, canonical: str) -> str:
    return {str(k): str(v) for k, v in exporter.spec.labels.items()}.get(canonical, canonical)


def namespace_of(exporter: ExporterInUse) -> str:
    """The namespace in which an exporter runs."""
    endpoint, usual = exporter.spec.endpoint, exporter.catalog.usual
    if endpoint is not None and endpoint.namespace:
        return str(endpoint.namespace)
    return (usual.namespace if usual else "") or "monitoring"


# Limits --------------------------------------------------------------------------------------------------------------


def _headroom(policy: Policy) -> float:
    return policy.budget.limits.headroom if policy.budget else 0.2


def _enforce(policy: Policy) -> Enforce | None:
    """What is enforced: nothing without a Budget, all with one that does not say."""
    if policy.budget is None:
        return None
    return policy.budget.enforce or Enforce(written=policy.budget.written)


def _limits(policy: Policy, account: ClusterAccount, exporter: ExporterInUse) -> Limits:
    enforce, headroom = _enforce(policy), _headroom(policy)
    if enforce is None:
        return Limits()
    samples, notes = None, list[str]()
    if enforce.sample_limit:
        worst, note = worst_target(account, exporter)
        samples = rounded_up(worst * (1 + headroom))
        notes.append(f"sample limit: {note}; and {headroom:.0%} more")
    if not enforce.label_limit:
        return Limits(samples=samples, notes=tuple(notes))
    lines = [line for line in account.lines if line.exporter is exporter]
    label_sets = [exporter.labels_of(line.metric) for line in lines] or [frozenset[str]()]
    most = max(len(labels) for labels in label_sets) + 1
    longest = max((len(label) for labels in label_sets for label in labels), default=0)
    notes.append(
        f"label limit: a series has at most {most} labels, its name included; and {headroom:.0%} more"
    )
    notes.append(f"label names: the longest has {longest} characters; twice that")
    notes.append("label values: twice the 253 characters of Kubernetes' longest names")
    return Limits(
        samples=samples,
        labels=math.ceil(most * (1 + headroom)),
        label_name_length=2 * longest,
        label_value_length=LABEL_VALUE_LENGTH,
        notes=tuple(notes),
    )


def worst_target(account: ClusterAccount, exporter: ExporterInUse) -> tuple[int, str]:
    """Samples that one target can write at most, and the sum. What nobody bounds counts as one value."""
    found = [(0, "nothing is collected")]
    for group in account.targets:
        if group.exporter is not exporter or not group.count:
            continue
        lines = [x for x in account.lines if x.exporter is exporter and x.pool == group.pool]
        total = sum(math.prod(factor.count for factor in line.factors) for line in lines)
        per_target = math.ceil(total / group.count)
        where = f"pool {group.pool}" if group.pool else f"{exporter.catalog.name}"
        note = f"{where} has {total:,} series on {group.count:,} targets, {per_target:,} each"
        if any(line.unbounded for line in lines):
            note += ", one value for each label that nobody bounds"
        found.append((per_target, note))
    return max(found)


def rounded_up(value: float) -> int:
    """The next number with two significant digits."""
    if value <= 100:
        return math.ceil(value)
    step = int(10 ** (math.floor(math.log10(value)) - 1))
    return math.ceil(value / step) * step


# Sending on ----------------------------------------------------------------------------------------------------------


def sent_names(account: ClusterAccount) -> tuple[str, ...]:
    """Names of all metrics that are sent to the long-term store."""
    raw = {line.name for line in account.sent_lines}
    return tuple(sorted(raw | {rule.name for rule in account.sent_rules}))


def alternatives(found: Iterable[str]) -> tuple[str, ...]:
    """Names as few regular expressions, one for each beginning up to the first colon."""
    rest: dict[str, list[str]] = {}
    for name in sorted(found):
        level, colon, end = name.partition(":")
        rest.setdefault(level if colon else "", []).append(end if colon else level)
    return tuple(
        f"{level}:({'|'.join(ends)})" if level else "|".join(ends) for level, ends in rest.items()
    )


def _remote_write(policy: Policy, account: ClusterAccount) -> RemoteWrite:
    store = long_term(policy)
    assert store is not None
    return RemoteWrite(
        name=f"{store.kind}-{account.name}",
        url=store.url or f"https://{store.kind}.example.com/api/v1/push",
        tenant=store.tenant,
        keep=alternatives(sent_names(account)),
        queue=queue(account.sent_per_second),
    )


def queue(samples_per_second: float) -> Queue:
    """A queue for a rate of samples, by prometheus.io/docs/practices/remote_write."""
    needed = math.ceil(samples_per_second * _SECONDS_A_REQUEST / _SAMPLES_PER_SEND)
    least = max(1, needed)
    most = min(max(_MOST_SHARDS, least), max(_CATCH_UP * least, 4))
    return Queue(
        samples_per_send=_SAMPLES_PER_SEND,
        capacity=_CAPACITY * _SAMPLES_PER_SEND,
        min_shards=least,
        max_shards=most,
        notes=(
            f"{samples_per_second:,.1f} samples a second, {_SAMPLES_PER_SEND:,} a request that takes up to a second: "
            f"{least} shards",
            f"capacity: {_CAPACITY} requests a shard; max_shards: {_CATCH_UP} times the rate, for a backlog",
        ),
    )


def _federation(policy: Policy, account: ClusterAccount) -> Federation:
    headroom = _headroom(policy)
    found = tuple(f'{{__name__=~"{each}"}}' for each in alternatives(sent_names(account)))
    notes = (f"{account.sent:,} series are sent; and {headroom:.0%} more",)
    enforce = _enforce(policy)
    limit = rounded_up(account.sent * (1 + headroom)) if enforce and enforce.sample_limit else None
    interval = str(policy.fleet.evaluation_interval)
    return Federation(interval=interval, match=found, limits=Limits(samples=limit, notes=notes))
