"""How one cluster's Prometheus scrapes an exporter: where it is found, what is kept of it, and what is too much."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpuobs import names
from gpuobs.budget.census import OF_A_SCRAPE, Line
from gpuobs.budget.ledger import ClusterAccount
from gpuobs.exporters import EVERY_TARGET, ExporterInUse
from gpuobs.lower.patterns import pattern
from gpuobs.plan import Limits, ScrapeJob
from gpuobs.policy import Policy
from gpuobs.promql.relabel import Step
from gpuobs.spec.model import Enforce
from gpuobs.spec.scalars import duration

# What Mimir takes by default (max_label_name_length, max_label_value_length), and longer than any name in Kubernetes,
# which are 253 characters at most. The free text of an exporter's messages is shorter too.
LABEL_NAME_LENGTH = 1024
LABEL_VALUE_LENGTH = 2048


def headroom(policy: Policy) -> float:
    """The share by which every limit is above what the account says."""
    return policy.budget.limits.headroom if policy.budget else 0.2


def enforced(policy: Policy) -> Enforce | None:
    """What is enforced: nothing without a Budget, all with one that does not say."""
    if policy.budget is None:
        return None
    return policy.budget.enforce or Enforce(written=policy.budget.written)


def rounded_up(value: float) -> int:
    """The next number with two significant digits; up to a hundred the next whole one."""
    if value <= 100:
        return math.ceil(value)
    step = int(10 ** (math.floor(math.log10(value)) - 1))
    return math.ceil(value / step) * step


def job(
    policy: Policy, account: ClusterAccount, exporter: ExporterInUse, read: frozenset[str]
) -> ScrapeJob:
    """An exporter's job. `read` are the metrics that rules read."""
    catalog, interval = exporter.catalog, policy.fleet.scrape_interval
    endpoint, usual = exporter.spec.endpoint, catalog.usual
    timeout = endpoint.timeout if endpoint and endpoint.timeout else None
    of_scrapes = tuple(sorted(_of_every_target(policy) & read))
    limits = _limits(policy, account, exporter, of_scrapes)
    return ScrapeJob(
        name=_name(policy, exporter),
        job=exporter.spec.job,
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
        labels=_labels(account, exporter),
        metric_relabelings=tuple(_metric_relabelings(account, exporter, of_scrapes)),
        limits=limits,
        notes=tuple(_remarks(policy, exporter)),
    )


def _name(policy: Policy, exporter: ExporterInUse) -> str:
    """The scrape job's name, which Prometheus wants to be unique: the `job`, unless another exporter has it."""
    same = [each for each in policy.exporters if each.spec.job == exporter.spec.job]
    return exporter.spec.job if len(same) == 1 else f"{exporter.spec.job}/{exporter.catalog.name}"


def _labels(account: ClusterAccount, exporter: ExporterInUse) -> dict[str, str]:
    """Target labels; the pool's value is empty, for it is its node's to say."""
    declared = {str(k): str(v) for k, v in exporter.spec.labels.items()}
    labels = {declared.get(names.CLUSTER, names.CLUSTER): account.name}
    if exporter.catalog.vendor:
        labels[declared.get(names.POOL, names.POOL)] = ""
    return labels | {str(k): v for k, v in exporter.spec.target_labels.items() if v}


def namespace_of(exporter: ExporterInUse) -> str:
    """The namespace in which an exporter runs."""
    endpoint, usual = exporter.spec.endpoint, exporter.catalog.usual
    if endpoint is not None and endpoint.namespace:
        return str(endpoint.namespace)
    return (usual.namespace if usual else "") or "monitoring"


def _remarks(policy: Policy, exporter: ExporterInUse) -> Iterator[str]:
    """What its file must say of a job to who applies it."""
    if exporter.spec.endpoint is None and exporter.catalog.usual is None:
        yield "nobody says where it is found: namespace, selector and port are guesses until it has an 'endpoint'"
    varied = [str(label) for label, value in exporter.spec.target_labels.items() if not value]
    if varied:
        yield f"the target labels {', '.join(varied)} differ by target, so that they are yours to add"
    for label in _forbidden(policy):
        if not any(label in exporter.labels_of(m) for _, m in exporter.collected()):
            continue
        yield f"'{label}' is forbidden and stays: series that only it tells apart would be one"


# What is kept --------------------------------------------------------------------------------------------------------


def _of_every_target(policy: Policy) -> frozenset[str]:
    """Metrics that any exporter may write of its own process."""
    every = (name for name, c in policy.collected.items() if EVERY_TARGET in c.metric.groups)
    return frozenset(every) - frozenset(OF_A_SCRAPE)


def _metric_relabelings(
    account: ClusterAccount, exporter: ExporterInUse, of_scrapes: tuple[str, ...]
) -> Iterator[Step]:
    """Only what the Fleet collects is stored: then the labels that its rules are written for, and those it forbids."""
    stored = {line.name for line in account.lines if line.exporter is exporter}
    if stored:
        yield Step(action="keep", sources=("__name__",), regex=pattern({*stored, *of_scrapes}))
    yield from exporter.relabelings
    if not exporter.spec.metric_relabelings:
        yield from _declared(exporter)


def _declared(exporter: ExporterInUse) -> Iterator[Step]:
    """Labels that the Fleet says are called otherwise than the exporter writes them."""
    for canonical, label in sorted(exporter.spec.labels.items()):
        raw = exporter.catalog.identity.get(canonical)
        written = exporter.renames.get(raw, raw) if raw else None
        if written and written != label:
            yield Step(sources=(str(written),), regex="(.+)", target=str(label))
            yield Step(action="labeldrop", regex=str(written))


def _forbidden(policy: Policy) -> tuple[str, ...]:
    labels = policy.budget.labels if policy.budget else None
    return tuple(map(str, labels.forbid)) if labels else ()


# Limits --------------------------------------------------------------------------------------------------------------


def _limits(
    policy: Policy, account: ClusterAccount, exporter: ExporterInUse, of_scrapes: tuple[str, ...]
) -> Limits:
    enforce, more = enforced(policy), headroom(policy)
    if enforce is None:
        return Limits()
    lines = [line for line in account.lines if line.exporter is exporter]
    samples, labels, notes = None, None, list[str]()
    if enforce.sample_limit:
        samples, note = _sample_limit(account, exporter, of_scrapes, more)
        notes.append(note)
    if enforce.label_limit:
        labels, note = _label_limit(lines, more)
        notes.append(note)
        notes.append("label lengths: what Mimir takes by default; names in Kubernetes are shorter")
    return Limits(
        samples=samples,
        labels=labels,
        label_name_length=LABEL_NAME_LENGTH if enforce.label_limit else None,
        label_value_length=LABEL_VALUE_LENGTH if enforce.label_limit else None,
        notes=tuple(notes),
    )


def _sample_limit(
    account: ClusterAccount, exporter: ExporterInUse, of_scrapes: tuple[str, ...], more: float
) -> tuple[int | None, str]:
    """A scrape with more samples is refused as a whole, so that there is none where nothing bounds what is right."""
    lines = [line for line in account.lines if line.exporter is exporter]
    if any(line.metric.per in ("pod", "container") for line in lines):
        return (
            None,
            "no sample limit: it writes of every pod, and the Fleet says how many hold GPUs",
        )
    there = (line for line in lines if all(factor.count for factor in line.factors))
    open_ = sorted({label for line in there for label in line.unbounded})
    if open_:
        named = ", ".join(open_)
        return None, f"no sample limit: nobody bounds {named}; say it in the Budget's labels.values"
    worst, note = worst_target(account, exporter)
    own = f" + {len(of_scrapes)} of its process" if of_scrapes else ""
    limit = rounded_up((worst + len(of_scrapes)) * (1 + more))
    return limit, f"sample limit: {note}{own}, and {more:.0%} more, rounded up to {limit:,}"


def worst_target(account: ClusterAccount, exporter: ExporterInUse) -> tuple[int, str]:
    """Samples that one target can write at most, and the sum."""
    found = [(0, "nothing is collected")]
    for group in account.targets:
        if group.exporter is not exporter:
            continue
        lines = [x for x in account.lines if x.exporter is exporter and x.pool == group.pool]
        total = sum(line.at_most or 0 for line in lines)
        each = math.ceil(total / group.count)
        where = f"pool {group.pool}" if group.pool else "the exporter"
        events = sum(line.at_most or 0 for line in lines if line.metric.on_event)
        with_events = f", {events:,} of them only after events," if events else ""
        targets = f"{group.count:,} target{'s' if group.count > 1 else ''}"
        found.append(
            (each, f"{where} has {total:,} series{with_events} on {targets}, {each:,} each")
        )
    return max(found)


def _label_limit(lines: list[Line], more: float) -> tuple[int | None, str]:
    for line in lines:
        if line.metric.label_prefixes:
            return None, f"no label limit: nobody bounds the labels of {line.name}"
    most, name = max(
        ((1 + len(line.exporter.labels_of(line.metric)), line.name) for line in lines),
        default=(1, "nothing"),
    )
    limit = math.ceil(most * (1 + more))
    return (
        limit,
        f"label limit: {name} can have {most} labels, its name among them, and {more:.0%} more",
    )
