"""Changes of a fleet whose price can be asked for: each is an edit of the policy, with a name to print."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from gpuobs.budget.ledger import by_blocks, long_term, storage_of
from gpuobs.exporters import EVERY_TARGET, ExporterInUse
from gpuobs.nearest import did_you_mean
from gpuobs.policy import Policy
from gpuobs.resolve import interval_problems, mig_problems
from gpuobs.spec.model import Cluster, Fleet, LongTerm, Metric, MetricCatalog, Pool, Workloads
from gpuobs.spec.scalars import Duration, LabelName, Retention, Scalar

Tier = Literal["hot", "warm", "cold"]
Level = Literal["gpu", "workload", "node", "cluster", "fleet"]


class Unfit(Exception):
    """A change of what is not there, or that cannot be: a sentence, and what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message}; {hint}" if hint else message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Change:
    """An edit of a policy. Where it does not fit, applying it raises Unfit."""

    name: str
    edit: Callable[[Policy], Policy]

    def __str__(self) -> str:
        return self.name

    def __call__(self, policy: Policy) -> Policy:
        return self.edit(policy)


def together(changes: Iterable[Change]) -> Change:
    """Several changes, one after the other, of which the intervals must go together at the end."""
    steps = tuple(changes)

    def edit(policy: Policy) -> Policy:
        for step in steps:
            policy = step(policy)
        for problem in interval_problems(policy.fleet):
            raise Unfit(problem.message, problem.hint)
        return policy

    return Change(" and ".join(step.name for step in steps), edit)


# Pools ---------------------------------------------------------------------------------------------------------------


def add_nodes(pool: str, count: int) -> Change:
    """More nodes, or with a negative number fewer."""

    def edit(found: Pool) -> Pool:
        return replace(found, nodes=_at_least_one(found.nodes + count, "nodes", pool))

    return _of_pool(f"{count:+,} {_many(count, 'node')} in pool '{pool}'", pool, edit)


def add_gpus(pool: str, count: int) -> Change:
    """More GPUs in each node, or with a negative number fewer."""

    def edit(found: Pool) -> Pool:
        gpus = _at_least_one(found.gpus_per_node + count, "GPUs per node", pool)
        return replace(found, gpus_per_node=gpus)

    name = f"{count:+,} {_many(count, 'GPU')} in each node of pool '{pool}'"
    return _of_pool(name, pool, edit)


def mig(pool: str, instances: Mapping[str, int]) -> Change:
    """Every GPU of a pool cut into MIG instances; without any, whole."""

    def edit(policy: Policy) -> Policy:
        model = policy.models[_pool(policy, pool)[1].gpu]
        cut = replace(_pool(policy, pool)[1], mig=dict(instances))
        for problem in mig_problems(cut, model):
            raise Unfit(problem.message, problem.hint)
        return _with_pool(policy, pool, lambda _: cut)

    how = ", ".join(f"{count} x {profile}" for profile, count in instances.items())
    return Change(f"pool '{pool}' {f'cut by MIG into {how}' if how else 'without MIG'}", edit)


def _of_pool(name: str, pool: str, edit: Callable[[Pool], Pool]) -> Change:
    return Change(name, lambda policy: _with_pool(policy, pool, edit))


def _with_pool(policy: Policy, name: str, edit: Callable[[Pool], Pool]) -> Policy:
    cluster, pool = _pool(policy, name)
    pools = tuple(edit(each) if each is pool else each for each in cluster.pools)
    return with_cluster(policy, cluster, replace(cluster, pools=pools))


def _pool(policy: Policy, name: str) -> tuple[Cluster, Pool]:
    """A pool by its name; of clusters that both have one of that name, by `cluster/pool`."""
    of = [(cluster, pool) for cluster, pool, _ in policy.pools]
    found = [(c, p) for c, p in of if name in (str(p.name), f"{c.name}/{p.name}")]
    if not found:
        raise Unfit(f"no pool '{name}'", did_you_mean(name, {str(pool.name) for _, pool in of}))
    if len(found) > 1:
        both = " or ".join(f"'{cluster.name}/{pool.name}'" for cluster, pool in found)
        raise Unfit(f"{len(found)} clusters have a pool '{name}'", f"write {both}")
    return found[0]


# Clusters ------------------------------------------------------------------------------------------------------------


def pods_per_gpu(cluster: str, count: int) -> Change:
    """Pods that share one GPU."""

    def edit(found: Workloads) -> Workloads:
        return replace(found, pods_per_gpu=_at_least_one(count, "pods per GPU", cluster))

    return _of_workloads(f"{count:,} {_many(count, 'pod')} per GPU in '{cluster}'", cluster, edit)


def pod_lifetime(cluster: str, lifetime: str) -> Change:
    """How long a pod lives on average."""

    def edit(found: Workloads) -> Workloads:
        return replace(found, pod_lifetime=_positive(lifetime))

    return _of_workloads(f"pods of '{cluster}' that live {lifetime}", cluster, edit)


def without_pod_labels(cluster: str) -> Change:
    """No pod on the series of GPUs."""

    def edit(found: Workloads) -> Workloads:
        if found.identity == "none":
            raise Unfit(f"series of cluster '{cluster}' carry no pod labels already")
        return replace(found, identity="none")

    return _of_workloads(f"no pod labels in '{cluster}'", cluster, edit)


def _of_workloads(name: str, cluster: str, edit: Callable[[Workloads], Workloads]) -> Change:
    def change(policy: Policy) -> Policy:
        known = {str(each.name): each for each in policy.fleet.clusters}
        if cluster not in known:
            raise Unfit(f"no cluster '{cluster}'", did_you_mean(cluster, known))
        found = known[cluster]
        workloads = edit(found.workloads or Workloads(written=found.written))
        return with_cluster(policy, found, replace(found, workloads=workloads))

    return Change(name, change)


def with_cluster(policy: Policy, cluster: Cluster, changed: Cluster) -> Policy:
    """The policy with another cluster in the place of one that it has."""
    clusters = tuple(changed if each is cluster else each for each in policy.fleet.clusters)
    return _with_fleet(policy, lambda fleet: replace(fleet, clusters=clusters))


# What is collected, and how often ------------------------------------------------------------------------------------


def collect(wanted: str) -> Change:
    """A metric, or a group of a catalog, that the fleet does not collect yet."""

    def edit(policy: Policy) -> Policy:
        exporter, name = _exporter_with(policy, wanted)
        if not _missing(exporter, name):
            raise Unfit(f"'{name}' of '{exporter.catalog.name}' is collected already")
        return with_collect(policy, exporter, (*exporter.spec.collect, name))

    return Change(f"collect '{wanted}'", edit)


def uncollect(unwanted: str) -> Change:
    """A metric, or a group of a catalog, that the fleet collects no more."""

    def edit(policy: Policy) -> Policy:
        exporter, name = _exporter_with(policy, unwanted)
        gone = {id(metric) for metric in exporter.catalog.metrics if _is(metric, name)}
        kept: list[str] = []
        for entry in exporter.spec.collect:
            members = [metric for metric in exporter.catalog.metrics if _is(metric, entry)]
            if not any(id(metric) in gone for metric in members):
                kept.append(entry)
            elif entry != name:
                kept += [str(metric.name) for metric in members if id(metric) not in gone]
        if tuple(kept) == exporter.spec.collect:
            raise Unfit(f"'{name}' of '{exporter.catalog.name}' is not collected")
        return with_collect(policy, exporter, tuple(dict.fromkeys(kept)))

    return Change(f"do not collect '{unwanted}'", edit)


def label(catalog: str, name: str, values: int) -> Change:
    """A label of which every entity has a series for each value, on all that an exporter writes."""

    def edit(policy: Policy) -> Policy:
        exporter = _by_catalog(policy, catalog)
        found = LabelName(_of_form(LabelName, name))
        if any(found in exporter.labels_of(metric) for _, metric in exporter.collected()):
            raise Unfit(f"series of '{catalog}' have a label '{name}' already")
        each = {found: _at_least_one(values, "values of the label", name)}
        metrics = tuple(
            replace(metric, labels=(*metric.labels, found), each={**metric.each, **each})
            for metric in exporter.catalog.metrics
        )
        changed = replace(exporter, catalog=replace(exporter.catalog, metrics=metrics))
        return with_exporter(policy, exporter, changed)

    return Change(f"label '{name}' with {values:,} values on every series of '{catalog}'", edit)


def scrape_interval(interval: str) -> Change:
    """How often exporters are scraped."""

    def edit(fleet: Fleet) -> Fleet:
        return replace(fleet, scrape_interval=_positive(interval))

    return Change(f"scrapeInterval: {interval}", lambda policy: _with_fleet(policy, edit))


def evaluation_interval(interval: str) -> Change:
    """How often rules are evaluated."""

    def edit(fleet: Fleet) -> Fleet:
        return replace(fleet, evaluation_interval=_positive(interval))

    return Change(f"evaluationInterval: {interval}", lambda policy: _with_fleet(policy, edit))


def with_collect(policy: Policy, exporter: ExporterInUse, entries: tuple[str, ...]) -> Policy:
    """The policy whose exporter collects these groups and metrics."""
    return with_exporter(
        policy, exporter, replace(exporter, spec=replace(exporter.spec, collect=entries))
    )


def with_exporter(policy: Policy, exporter: ExporterInUse, changed: ExporterInUse) -> Policy:
    """The policy with another exporter in the place of one that it has."""
    return replace(
        policy, exporters=tuple(changed if e is exporter else e for e in policy.exporters)
    )


def _is(metric: Metric, name: str) -> bool:
    return name in (metric.name, *metric.aliases, *metric.groups)


def _missing(exporter: ExporterInUse, name: str) -> bool:
    collected = {id(metric) for _, metric in exporter.collected()}
    return any(id(m) not in collected for m in exporter.catalog.metrics if _is(m, name))


def _by_catalog(policy: Policy, name: str) -> ExporterInUse:
    known = {str(exporter.catalog.name): exporter for exporter in policy.exporters}
    if name not in known:
        raise Unfit(
            f"no exporter of this fleet has the catalog '{name}'", did_you_mean(name, known)
        )
    return known[name]


def _exporter_with(policy: Policy, wanted: str) -> tuple[ExporterInUse, str]:
    """The exporter that has a metric or a group, which `catalog/` before its name picks where several have it."""
    catalog, slash, name = wanted.rpartition("/")
    exporters = (_by_catalog(policy, catalog),) if slash else policy.exporters
    found = [e for e in exporters if name in _names(e.catalog)]
    if not found:
        known = {each for exporter in exporters for each in _names(exporter.catalog)}
        raise Unfit(f"no exporter has a metric or a group '{name}'", did_you_mean(name, known))
    if len(found) > 1:
        both = " or ".join(f"'{exporter.catalog.name}/{name}'" for exporter in found)
        raise Unfit(f"{len(found)} exporters have '{name}'", f"write {both}")
    if not any(found[0].has(m.since) for m in found[0].catalog.metrics if _is(m, name)):
        raise Unfit(f"version {found[0].spec.version} of the exporter has no '{name}'")
    return found[0], name


def _names(catalog: MetricCatalog) -> set[str]:
    names = {str(n) for m in catalog.metrics for n in (m.name, *m.aliases, *m.groups)}
    return names - {EVERY_TARGET}


# Storage -------------------------------------------------------------------------------------------------------------


def replicas(count: int) -> Change:
    """Prometheus replicas of each cluster."""

    def edit(policy: Policy) -> Policy:
        number = _at_least_one(count, "replicas", "Prometheus")
        storage = replace(storage_of(policy), replicas=number)
        return _with_fleet(policy, lambda fleet: replace(fleet, storage=storage))

    return Change(f"{count:,} {_many(count, 'replica')} of Prometheus", edit)


def retention(tier: Tier, length: str) -> Change:
    """How long samples stay in a tier."""

    def edit(policy: Policy) -> Policy:
        if tier not in get_args(Tier):
            raise Unfit(f"no tier '{tier}'", did_you_mean(tier, get_args(Tier)))
        form: type[Scalar] = Retention if tier == "cold" else Duration
        storage = replace(storage_of(policy), **{tier: form(_of_form(form, length))})  # type: ignore[arg-type]
        return _with_fleet(policy, lambda fleet: replace(fleet, storage=storage))

    return Change(f"{tier}: {length}", edit)


def send_level(level: Level) -> Change:
    """Rollups of a level that the long-term store gets as well."""

    def edit(store: LongTerm) -> LongTerm:
        if level not in get_args(Level):
            raise Unfit(f"no level '{level}'", did_you_mean(level, get_args(Level)))
        if level in store.levels:
            raise Unfit(f"rollups of level '{level}' are sent already")
        return replace(store, levels=(*store.levels, level))

    return Change(f"send level '{level}'", lambda policy: _with_store(policy, edit))


def send_raw(name: str) -> Change:
    """A raw metric, or a group of them, that the long-term store gets as well."""

    def edit(policy: Policy) -> Policy:
        names = {str(each) for each in policy.collected}
        groups = {str(g) for each in policy.collected.values() for g in each.metric.groups}
        if name not in names | groups - {EVERY_TARGET}:
            hint = did_you_mean(name, names | groups - {EVERY_TARGET})
            raise Unfit(f"no metric and no group '{name}' is collected", hint)

        def add(store: LongTerm) -> LongTerm:
            if name in store.raw:
                raise Unfit(f"'{name}' is sent already")
            return replace(store, raw=(*store.raw, name))

        return _with_store(policy, add)

    return Change(f"send raw '{name}'", edit)


def _with_store(policy: Policy, edit: Callable[[LongTerm], LongTerm]) -> Policy:
    store = long_term(policy)
    if store is None:
        message = "the fleet has no long-term store to send to"
        raise Unfit(message, "add 'longTerm' to its 'storage'")
    if by_blocks(policy):
        raise Unfit("a sidecar sends every series already")
    storage = replace(storage_of(policy), long_term=edit(store))
    return _with_fleet(policy, lambda fleet: replace(fleet, storage=storage))


# Values --------------------------------------------------------------------------------------------------------------


def _with_fleet(policy: Policy, edit: Callable[[Fleet], Fleet]) -> Policy:
    return replace(policy, fleet=edit(policy.fleet))


def _at_least_one(count: int, what: str, of: str) -> int:
    if count < 1:
        raise Unfit(f"{count:,} {what} of '{of}'", "there must be at least 1")
    return count


def _positive(text: str) -> Duration:
    found = Duration(_of_form(Duration, text))
    if found.seconds <= 0:
        raise Unfit(f"'{text}' is no time", "it must be longer than 0s")
    return found


def _of_form(form: type[Scalar], text: str) -> str:
    if not re.search(form.pattern, text):
        raise Unfit(f"'{text}' is not {form.what}", f"such as {form.example}")
    return text


def _many(count: int, what: str) -> str:
    return what if abs(count) == 1 else what + "s"
