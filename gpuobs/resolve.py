"""All specs together: names unique, references good, the built-in catalogs merged with the project's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from gpuobs import catalog, counts, names, promql
from gpuobs.catalog import units
from gpuobs.diagnostics import Diagnostic, Related, Span, error
from gpuobs.exporters import ExporterInUse, in_use, series_of
from gpuobs.nearest import did_you_mean
from gpuobs.policy import CheckSettings, Policy, alternatives, slices
from gpuobs.promql.nodes import Aggregate, Select, Subquery
from gpuobs.receivers import problems as receiver_problems
from gpuobs.spec.document import place
from gpuobs.spec.model import (
    Alerts,
    Budget,
    BudgetAlerts,
    Checks,
    Fleet,
    GpuModel,
    GpuModels,
    Item,
    Metric,
    MetricCatalog,
    Pool,
    Rollups,
    Signal,
    SignalCatalog,
    Slos,
    Spec,
    Tiers,
)
from gpuobs.spec.node import Node

T = TypeVar("T")

# Prometheus' default --query.lookback-delta, in seconds: older samples are no longer seen.
_LOOKBACK = 300


def resolve(specs: list[Spec]) -> tuple[Policy | None, list[Diagnostic]]:
    """The policy that the specs state together; None where a mistake leaves it undefined.

    An alert with a mistake is left out of the policy, so that the others are looked at in the same run.
    """
    problems = list(_duplicate_documents(specs))
    fleet = _only(specs, Fleet, problems)
    tiers = _only(specs, Tiers, problems)
    checks = _at_most_one(specs, Checks, problems)
    budget = _at_most_one(specs, Budget, problems)
    catalogs = _by_name(specs, MetricCatalog)
    models = dict(catalog.gpu_models())
    for document in _all(specs, GpuModels):
        models.update({model.name: model for model in document.models})
    signals = _signals(specs, problems)
    if fleet is None or tiers is None:
        return None, problems
    exporters = in_use(fleet, catalogs, problems)
    problems.extend(counts.problems(fleet, exporters, budget))
    problems.extend(_fleet_problems(fleet, models))
    problems.extend(_owner_problems(tiers))
    problems.extend(receiver_problems(tiers))
    documents = tuple(_all(specs, Alerts))
    mistaken = list(_alert_problems(documents, tiers))
    if budget is not None and budget.alerts is not None:
        problems.extend(_budget_alert_problems(budget.alerts, documents, tiers))
    if problems:
        return None, [*problems, *mistaken]
    alerts = tuple(_sound(document, mistaken) for document in documents)
    known: dict[str, tuple[Metric, MetricCatalog]] = {}
    for exporter in exporters:
        for metric in exporter.catalog.metrics:
            for name in (metric.name, *metric.aliases):
                known.setdefault(name, (metric, exporter.catalog))
                for written, part in series_of(name, metric):
                    known.setdefault(written, (part, exporter.catalog))
    policy = Policy(
        fleet,
        tiers,
        exporters,
        models,
        signals,
        tuple(_all(specs, Rollups)),
        alerts,
        known,
        CheckSettings.of(checks),
        budget,
        tuple(_all(specs, Slos)),
    )
    problems.extend(_pools_without_exporter(policy))
    problems.extend(_signal_sources(policy))
    problems.extend(_storage_problems(policy))
    return (None if problems else policy), [*mistaken, *problems]


def _sound(document: Alerts, mistaken: Iterable[Diagnostic]) -> Alerts:
    """A document without the alerts that have a mistake; a mistake of the document's is one of all of them."""
    spans = [problem.span for problem in mistaken if document.where().holds(problem.span)]
    within = {
        span: [alert for alert in document.alerts if alert.where().holds(span)] for span in spans
    }
    if not all(within.values()):
        return replace(document, alerts=())
    broken = {id(alert) for alerts in within.values() for alert in alerts}
    return replace(document, alerts=tuple(a for a in document.alerts if id(a) not in broken))


def _all(specs: Iterable[Spec], kind: type[T]) -> list[T]:
    """Specs of one kind, by name: file names and their order mean nothing."""
    return sorted((s for s in specs if isinstance(s, kind)), key=lambda s: s.name)  # type: ignore[attr-defined]


def _by_name(specs: Iterable[Spec], kind: type[T]) -> dict[str, T]:
    return {spec.name: spec for spec in _all(specs, kind)}  # type: ignore[attr-defined]


def _duplicate_documents(specs: Iterable[Spec]) -> Iterator[Diagnostic]:
    ordered = sorted(specs, key=lambda spec: spec.span)
    yield from _duplicates(
        [(f"{type(spec).__name__} '{spec.name}'", spec.where("name")) for spec in ordered],
        "spec/duplicate-name",
        "give one of them another name",
    )


def _duplicates(named: list[tuple[str, Span]], code: str, hint: str) -> Iterator[Diagnostic]:
    first: dict[str, Span] = {}
    for name, span in named:
        if name in first:
            related = (Related(first[name], "first here"),)
            yield error(span, code, f"{name} is there twice", hint, related)
        else:
            first[name] = span


def _only(specs: list[Spec], kind: type[T], problems: list[Diagnostic]) -> T | None:
    """The one document of a kind that a project must have exactly once."""
    word = kind.__name__
    if not _all(specs, kind):
        place = min((spec.where("kind") for spec in specs), default=Span("specs", 1, 1, 1, 1))
        hint = f"add a file with 'kind: {word}'; 'gpuobs schema {word}' shows its form"
        problems.append(
            error(place, "spec/missing-document", f"no {word} document in the specs", hint)
        )
        return None
    return _at_most_one(specs, kind, problems, "exactly")


def _at_most_one(
    specs: list[Spec], kind: type[T], problems: list[Diagnostic], limit: str = "at most"
) -> T | None:
    """The document of a kind that a project must not have twice."""
    found = _all(specs, kind)
    if len(found) <= 1:
        return found[0] if found else None
    first, second = sorted(s.where("kind") for s in found)[:2]  # type: ignore[attr-defined]
    message = f"a project has {limit} one {kind.__name__}, and this is another"
    related = (Related(first, "the first"),)
    problems.append(error(second, "spec/duplicate-name", message, "merge the two", related))
    return None


def _signals(specs: list[Spec], problems: list[Diagnostic]) -> dict[str, Signal]:
    """The built-in signals, and the project's own, which win."""
    signals = {str(signal.name): signal for signal in catalog.signals().signals}
    own = [signal for document in _all(specs, SignalCatalog) for signal in document.signals]
    problems.extend(
        _duplicates(
            [(f"signal '{s.name}'", s.where("name")) for s in own],
            "signal/duplicate",
            "merge the two",
        )
    )
    signals.update({str(signal.name): signal for signal in own})
    for signal in own:
        if bool(signal.sources) == (signal.ratio is not None):
            message = f"signal '{signal.name}' needs 'sources' or 'ratio', and only one of them"
            problems.append(error(signal.where("name"), "signal/source", message))
        for path in ("of", "to"):
            name = getattr(signal.ratio, path, None)
            if name is not None and name not in signals:
                message = f"no signal '{name}'"
                hint = did_you_mean(name, signals)
                span = signal.where("ratio", path)
                problems.append(error(span, "signal/unknown-signal", message, hint))
    return signals


def _fleet_problems(fleet: Fleet, models: Mapping[str, GpuModel]) -> Iterator[Diagnostic]:
    yield from _duplicates(
        [(f"cluster '{c.name}'", c.where("name")) for c in fleet.clusters],
        "fleet/duplicate-name",
        "give one of them another name",
    )
    for cluster in fleet.clusters:
        yield from _duplicates(
            [(f"pool '{p.name}'", p.where("name")) for p in cluster.pools],
            "fleet/duplicate-name",
            "give one of them another name, or add up their nodes",
        )
        for pool in cluster.pools:
            if pool.gpu not in models:
                hint = did_you_mean(pool.gpu, models) or "'gpuobs explain gpu-models' lists them"
                yield error(
                    pool.where("gpu"), "fleet/unknown-model", f"no GPU model '{pool.gpu}'", hint
                )
            else:
                yield from mig_problems(pool, models[pool.gpu])
    yield from interval_problems(fleet)


def interval_problems(fleet: Fleet) -> Iterator[Diagnostic]:
    """Intervals at which no sample would be there, or none would be new."""
    scrape, evaluation = fleet.scrape_interval.seconds, fleet.evaluation_interval.seconds
    for key, seconds in (("scrapeInterval", scrape), ("evaluationInterval", evaluation)):
        if seconds <= 0:
            yield error(fleet.where(key), "fleet/interval", f"'{key}' must be longer than 0s")
    if evaluation > _LOOKBACK:
        message = (
            f"rules are evaluated every {fleet.evaluation_interval}, "
            "longer than the 5m for which Prometheus looks back to a sample"
        )
        place = fleet.where("evaluationInterval")
        yield error(place, "fleet/interval", message, "evaluationInterval: 5m or shorter")
    if evaluation < scrape:
        message = (
            f"rules are evaluated every {fleet.evaluation_interval}, "
            f"more often than new samples arrive ({fleet.scrape_interval})"
        )
        hint = f"evaluationInterval: {fleet.scrape_interval} or longer"
        yield error(fleet.where("evaluationInterval"), "fleet/interval", message, hint)


def mig_problems(pool: Pool, model: GpuModel) -> Iterator[Diagnostic]:
    """What keeps a pool's GPUs from being cut as it says."""
    largest: Mapping[str, int] = {str(name): count for name, count in model.mig.items()}
    for profile, count in pool.mig.items():
        place = pool.written.at_key("mig", profile)
        possible = largest.get(profile)
        if possible is None:
            if model.mig:
                message = f"{model.name} has no MIG profile '{profile}'"
                hint = "it has " + ", ".join(model.mig)
            else:
                message, hint = f"{model.name} cannot be cut by MIG", "leave 'mig' out"
            yield error(place, "fleet/mig", message, hint)
        elif not 1 <= count <= possible:
            message = f"{count} instances of '{profile}' do not fit on {model.name}"
            yield error(place, "fleet/mig", message, f"at most {possible}")
    used = sum(slices(profile) * count for profile, count in pool.mig.items() if profile in largest)
    fits = all(count <= largest.get(profile, 0) for profile, count in pool.mig.items())
    if used > model.mig_slices and fits:
        message = (
            f"these instances need {used} of the {model.mig_slices} compute slices of {model.name}"
        )
        yield error(pool.where("mig"), "fleet/mig", message, "take fewer or smaller instances")


def _owner_problems(tiers: Tiers) -> Iterator[Diagnostic]:
    for owner, receivers in tiers.owners.items():
        for tier in receivers:
            if tier not in tiers.tiers:
                place = tiers.written.at_key("owners", owner, tier)
                yield error(
                    place,
                    "alert/unknown-tier",
                    f"no tier '{tier}'",
                    did_you_mean(tier, tiers.tiers),
                )


def _alert_problems(alerts: tuple[Alerts, ...], tiers: Tiers) -> Iterator[Diagnostic]:
    yield from _duplicates(
        [(f"alert '{a.name}'", a.where("name")) for document in alerts for a in document.alerts],
        "alert/duplicate",
        "give one of them another name, or remove it",
    )
    for document in alerts:
        if document.owner not in tiers.owners:
            yield _unknown_owner(document.where("owner"), document.owner, tiers)
        for alert in document.alerts:
            if alert.owner and alert.owner not in tiers.owners:
                yield _unknown_owner(alert.where("owner"), alert.owner, tiers)
            yield from _tier_problems(alert, alert.owner or document.owner, alert.tier, tiers)
            if (alert.when is None) == (alert.expr is None):
                has = (
                    "neither 'when' nor 'expr'" if alert.when is None else "both 'when' and 'expr'"
                )
                message = f"alert '{alert.name}' has {has}"
                hint = "add one of them" if alert.when is None else "keep one of them"
                yield error(alert.where("name"), "alert/no-condition", message, hint)


def _budget_alert_problems(
    asked: BudgetAlerts, documents: Iterable[Alerts], tiers: Tiers
) -> Iterator[Diagnostic]:
    """Who is told of the budget's alerts, and an Alerts document that has their name."""
    if asked.owner not in tiers.owners:
        yield _unknown_owner(asked.where("owner"), asked.owner, tiers)
    yield from _tier_problems(asked, asked.owner, asked.tier, tiers)
    if asked.page_tier is not None:
        yield from _tier_problems(asked, asked.owner, asked.page_tier, tiers, "pageTier")
    for document in documents:
        if document.name == names.BUDGET_ALERTS:
            message = f"the alerts that the Budget asks for are called '{document.name}' too"
            related = (Related(asked.where(), "asked for here"),)
            hint = "give this document another name"
            yield error(document.where("name"), "spec/duplicate-name", message, hint, related)


def _tier_problems(
    item: Item, owner: str, tier: str, tiers: Tiers, key: str = "tier"
) -> Iterator[Diagnostic]:
    """A tier that there is not, or that wakes nobody of the owner's."""
    if tier not in tiers.tiers:
        yield error(
            item.where(key),
            "alert/unknown-tier",
            f"no tier '{tier}'",
            did_you_mean(tier, tiers.tiers),
        )
    elif not _receives(tiers, owner, tier):
        message = f"owner '{owner}' has no receiver for tier '{tier}'"
        hint = f"add '{tier}: <receiver>' to owner '{owner}' in the Tiers document"
        yield error(item.where(key), "alert/no-receiver", message, hint)


def _receives(tiers: Tiers, owner: str, tier: str) -> bool:
    """Whether an owner has a receiver for a tier; an owner who does not exist is reported elsewhere."""
    receivers = {str(name): tiers_of for name, tiers_of in tiers.owners.items()}.get(owner)
    return receivers is None or tier in receivers


def _unknown_owner(span: Span, owner: str, tiers: Tiers) -> Diagnostic:
    return error(span, "alert/no-owner", f"no owner '{owner}'", did_you_mean(owner, tiers.owners))


def _pools_without_exporter(policy: Policy) -> Iterator[Diagnostic]:
    reports: dict[str, ExporterInUse] = {}
    for exporter in policy.exporters:
        vendor = exporter.catalog.vendor
        first = reports.setdefault(vendor, exporter) if vendor else exporter
        if first is not exporter:
            message = f"a second exporter for {vendor} GPUs, whose series no rule would read"
            hint = "run one exporter, in one version, on all GPUs of a vendor, or keep two projects"
            related = (Related(first.spec.where("catalog"), "the first"),)
            place = exporter.spec.where("catalog")
            yield error(place, "fleet/duplicate-exporter", message, hint, related)
    for _, pool, model in policy.pools:
        found = reports.get(model.vendor)
        if found is None:
            message = f"no exporter of this fleet reports {model.vendor} GPUs"
            hint = f"add an exporter whose catalog is for vendor '{model.vendor}'"
            yield error(pool.where("gpu"), "fleet/no-exporter", message, hint)
        elif pool.exporter not in ("", found.catalog.name):
            message = f"'{pool.exporter}' does not report {model.vendor} GPUs in this fleet"
            hint = f"exporter: {found.catalog.name}, or leave it out"
            yield error(pool.where("exporter"), "fleet/no-exporter", message, hint)


def _storage_problems(policy: Policy) -> Iterator[Diagnostic]:
    """Tiers that do not follow each other, a way to a store that it does not have, and raw metrics that there are not."""
    storage = policy.fleet.storage
    if storage is not None and storage.hot.seconds > storage.warm.seconds:
        message = f"'hot' is a part of 'warm', and longer than its {storage.warm}"
        yield error(
            storage.where("hot"), "fleet/retention", message, f"hot: {storage.warm} or shorter"
        )
    store = storage.long_term if storage is not None else None
    if store is None:
        return
    if store.mode == "sidecar" and store.kind != "thanos":
        message = f"'{store.kind}' has no sidecar: blocks are shipped to thanos only"
        yield error(store.where("mode"), "fleet/long-term", message, "mode: remote-write")
    groups = {str(group) for each in policy.collected.values() for group in each.metric.groups}
    for index, wanted in enumerate(store.raw):
        if wanted not in policy.collected and wanted not in groups:
            message = f"no metric and no metric group '{wanted}' is collected, to be sent raw"
            hint = did_you_mean(wanted, {*policy.collected, *groups})
            if wanted in policy.known:
                hint = f"add '{wanted}' to 'collect' of the exporter that has it"
            yield error(store.where("raw", index), "fleet/unknown-group", message, hint)


def _signal_sources(policy: Policy) -> Iterator[Diagnostic]:
    """The project's own signals: every metric known, every unit converted. Built-in ones are held by tests."""
    builtin = {id(signal) for signal in catalog.signals().signals}
    for signal in policy.signals.values():
        if id(signal) in builtin:
            continue
        for vendor in signal.sources:
            for expression, path in alternatives(signal, vendor):
                yield from _source_problems(policy, signal, expression, signal.written.get(*path))


def _source_problems(
    policy: Policy, signal: Signal, expression: str, node: Node | None
) -> Iterator[Diagnostic]:
    assert node is not None
    parsed = promql.parse(expression)
    if isinstance(parsed, promql.Refused):
        span = place(node, parsed.start, parsed.end)
        yield error(span, parsed.code, parsed.message, parsed.hint)
        return
    for selector in promql.selectors(parsed):
        if selector.name not in policy.known:
            span = place(node, selector.name_start, selector.name_end)
            hint = did_you_mean(selector.name, policy.known)
            yield error(
                span,
                "promql/unknown-metric",
                f"no metric '{selector.name}' in this fleet's catalogs",
                hint,
            )
    for problem in units.problems(
        expression, lambda name: policy.known.get(name, (None,))[0], signal
    ):
        yield error(node.span, "signal/unit", problem)
    for inner in promql.walk(parsed.tree):
        ranged = isinstance(inner, Select) and inner.window is not None
        if ranged or isinstance(inner, Aggregate | Subquery):
            message = "a source is an instant expression on one vendor's metrics"
            hint = "leave aggregation, rate and windows to the rollups"
            yield error(node.span, "signal/source", message, hint)
            return
