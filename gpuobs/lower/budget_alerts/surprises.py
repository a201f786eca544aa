"""Alerts on what the specs do not know: GPU models, MIG profiles and pools whose series appear all the same."""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import names
from gpuobs.exporters import ExporterInUse
from gpuobs.lower import queries
from gpuobs.lower.budget_alerts.draft import Draft, Incident
from gpuobs.lower.budget_alerts.numbers import Numbers
from gpuobs.policy import Policy
from gpuobs.spec.model import Cluster, Pool

_WAIT = 15
_UNCOUNTED = "Its series are not in the budget, and its alerts take default thresholds."


def drafts(numbers: Numbers) -> Iterator[Draft]:
    """Those of each vendor's exporter, as far as its series have the labels."""
    policy = numbers.policy
    for exporter in policy.exporters:
        vendor = exporter.catalog.vendor
        metric = _of_every_gpu(policy, exporter) if vendor in policy.vendors else ""
        if metric:
            yield from _model(policy, exporter, metric)
            yield from _profile(policy, exporter, metric)
            yield from _pool(policy, exporter, metric)


def _of_every_gpu(policy: Policy, exporter: ExporterInUse) -> str:
    """A metric that each GPU has, healthy or not, and cut by MIG or not."""
    found = (
        name
        for name, collected in policy.collected.items()
        if collected.exporter is exporter
        and (collected.metric.per, collected.metric.kind) == ("gpu", "gauge")
        and not collected.metric.each
        and not collected.metric.unsupported
        and not collected.metric.on_event
    )
    return next(found, "")


def _name(exporter: ExporterInUse, what: str) -> str:
    return f"{str(exporter.catalog.vendor).title()}{what}"


def _grouped(by: tuple[str, ...], exporter: ExporterInUse, selector: str) -> str:
    """What there is of some canonical labels."""
    written = [(label, exporter.label(label) or label) for label in by]
    return queries.aggregate("group", by, queries.renamed(selector, written))


def _incident(
    policy: Policy,
    exporter: ExporterInUse,
    metric: str,
    canonical: str,
    values: tuple[str, str, str],
    place: tuple[Cluster, Pool] | None = None,
) -> Incident:
    """Nodes with two unknown values of a label, of which one leaves again, beside a known one; in the first pool, or in this one."""
    cluster, pool = place or next(
        (cluster, pool)
        for cluster, pool, model in policy.pools
        if model.vendor == exporter.catalog.vendor
    )
    at = {names.CLUSTER: str(cluster.name), names.POOL: str(pool.name)}
    subjects = {}
    for role, value in zip(("over", "gone", "under"), values, strict=True):
        labels = {**at, names.NODE: role, canonical: value}
        subjects[role] = {exporter.label(each) or each: text for each, text in labels.items()}
    return Incident(
        name=f"nodes with something else join {pool.name} of {cluster.name}, and some of them leave it again",
        metric=metric,
        calm="",
        bad="1",
        subjects=subjects,
        shown={"over": {canonical: values[0]}, "gone": {canonical: values[1]}},
    )


def _model(policy: Policy, exporter: ExporterInUse, metric: str) -> Iterator[Draft]:
    """Silent where nobody has confirmed what the exporter writes for a model of the fleet."""
    models = [m for _, _, m in policy.pools if m.vendor == exporter.catalog.vendor]
    if exporter.label(names.MODEL) is None or not all(model.model_label for model in models):
        return
    by = (names.CLUSTER, names.MODEL)
    known = sorted({model.model_label for model in models})
    yield Draft(
        name=_name(exporter, "GpuModelUnknown"),
        expr=f"{_grouped(by, exporter, metric)}\nunless on (cluster, model)\n{names.INVENTORY_GPUS}",
        wait=_WAIT,
        summary="{{ $labels.cluster }} has GPUs of model {{ $labels.model }}, which no pool of its specs has",
        description=f"Of this vendor the pools of the Fleet have {_listed(known)}. Another model has other metrics, "
        "labels and limits: nothing here was computed for it.",
        impact=_UNCOUNTED,
        diagnose=(f"Find the nodes: {_nodes(exporter, metric, names.MODEL)}",),
        fix=("Add a pool for these nodes to the Fleet, and build.",),
        incidents=(
            _incident(
                policy, exporter, metric, names.MODEL, ("NEW-MODEL", "NEW-MODEL-2", known[0])
            ),
        ),
    )


def _profile(policy: Policy, exporter: ExporterInUse, metric: str) -> Iterator[Draft]:
    label = exporter.label(names.MIG_PROFILE)
    if label is None or label not in policy.collected[metric].labels:
        return
    by = (names.CLUSTER, names.POOL, names.MIG_PROFILE)
    expressions = [
        _grouped(by, exporter, queries.selector(metric, matchers))
        for matchers in _other_profiles(policy, exporter, label)
    ]
    yield Draft(
        name=_name(exporter, "MigProfileUnknown"),
        expr="\nor\n".join(expressions),
        wait=_WAIT,
        summary="Pool {{ $labels.pool }} of {{ $labels.cluster }} has MIG instances of profile {{ $labels.mig_profile }}, "
        "which its specs do not have",
        description=f"By the Fleet {_cut(policy, exporter)}. Each instance has the series of a GPU of its own: one GPU cut "
        "in seven has seven times as many.",
        impact=f"The node's next scrapes may pass their sample limit, and be refused as a whole. {_UNCOUNTED}",
        diagnose=(
            f"Find the nodes: {_nodes(exporter, metric, names.MIG_PROFILE)}",
            "See how the GPUs are cut: nvidia-smi -L",
        ),
        fix=(
            "Undo it on the node if nobody meant it: nvidia-smi mig -dci && nvidia-smi mig -dgi.",
            "Say it in 'mig' of the pool, or give the nodes a pool of their own, and build.",
        ),
        incidents=tuple(
            _incident(
                policy,
                exporter,
                metric,
                names.MIG_PROFILE,
                ("9g.9gb", "8g.8gb", next(iter(pool.mig), "")),
                (cluster, pool),
            )
            for cluster, pool in _cut_differently(policy, exporter)
        ),
    )


def _other_profiles(
    policy: Policy, exporter: ExporterInUse, label: str
) -> Iterator[tuple[str, str, str]]:
    """Matchers of MIG instances that the pools of each cluster do not have, one for pools that are cut alike."""
    cluster_label = exporter.label(names.CLUSTER) or names.CLUSTER
    pool_label = exporter.label(names.POOL) or names.POOL
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for cluster, pool, model in policy.pools:
        if model.vendor == exporter.catalog.vendor:
            key = str(cluster.name), tuple(sorted(map(str, pool.mig)))
            alike.setdefault(key, []).append(str(pool.name))
    for (of, profiles), pools in alike.items():
        yield (
            queries.matcher(cluster_label, [of]),
            queries.matcher(pool_label, pools),
            queries.no_matcher(label, ["", *profiles]),
        )


def _cut_differently(policy: Policy, exporter: ExporterInUse) -> Iterator[tuple[Cluster, Pool]]:
    """The first pool of each cluster for every way that its GPUs are cut."""
    seen = set()
    for cluster, pool, model in policy.pools:
        key = cluster.name, tuple(sorted(map(str, pool.mig)))
        if model.vendor == exporter.catalog.vendor and key not in seen:
            seen.add(key)
            yield cluster, pool


def _cut(policy: Policy, exporter: ExporterInUse) -> str:
    pools = [p for _, p, model in policy.pools if model.vendor == exporter.catalog.vendor and p.mig]
    cut = " and ".join(
        f"pool {pool.name} has {_listed(sorted(map(str, pool.mig)))}" for pool in pools
    )
    return cut or "no GPU is cut"


def _pool(policy: Policy, exporter: ExporterInUse, metric: str) -> Iterator[Draft]:
    by = (names.CLUSTER, names.POOL)
    first = next(p for _, p, model in policy.pools if model.vendor == exporter.catalog.vendor)
    yield Draft(
        name=_name(exporter, "GpuPoolUnknown"),
        expr=f"{_grouped(by, exporter, metric)}\nunless on (cluster, pool)\n{names.INVENTORY_GPUS}",
        wait=_WAIT,
        summary="{{ $labels.cluster }} has GPUs in pool '{{ $labels.pool }}', which its specs do not have",
        description="The pool is a label of the node, as 'poolLabel' of the Fleet says. A node that has none, or another, "
        "belongs to nothing that was counted.",
        impact=f"{_UNCOUNTED} Nobody misses these GPUs when they are gone.",
        diagnose=(f"Find the nodes: {_nodes(exporter, metric, names.POOL)}",),
        fix=(
            "Put the node's label right: kubectl label node $NODE --overwrite $POOL_LABEL=$POOL",
            "Add the pool to the Fleet, and build.",
        ),
        incidents=(
            _incident(
                policy, exporter, metric, names.POOL, ("new-pool", "new-pool-2", str(first.name))
            ),
        ),
    )


def _nodes(exporter: ExporterInUse, metric: str, canonical: str) -> str:
    labels = (exporter.label(names.NODE) or "instance", exporter.label(canonical) or canonical)
    return queries.aggregate("count", labels, metric)


def _listed(values: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(values[:-1]), values[-1]]))
