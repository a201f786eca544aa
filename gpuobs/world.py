"""The world that the analysis of PromQL asks: what the fleet collects, and what the rules of a program record."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache

from gpuobs import arithmetic, names, promql
from gpuobs.exporters import EVERY_SCRAPE, EVERY_TARGET, ExporterInUse
from gpuobs.ir import Program, RecordingRule, RuleGroup
from gpuobs.policy import Collected
from gpuobs.promql import units
from gpuobs.promql.analysis import analyse
from gpuobs.promql.interval import ANY, Interval
from gpuobs.promql.labelset import MADE, Labels
from gpuobs.promql.relabel import of_labels
from gpuobs.promql.shapes import (
    BLANK,
    LIMITED,
    QUANTILE,
    SHARE,
    UNKNOWN,
    Shape,
    bounded,
    least,
    plus,
)
from gpuobs.spec.model import Cluster, Metric
from gpuobs.spec.scalars import Duration


@lru_cache(maxsize=4)
def world(program: Program) -> FleetWorld:
    """The world of a program, made once."""
    return FleetWorld(program)


class FleetWorld:
    """Answers by metric name: recorded series from the rules that write them, others from the catalogs."""

    def __init__(self, program: Program) -> None:
        assert program.policy is not None
        self._policy = program.policy
        self._version = program.version
        self._foreign = program.foreign
        self._rules = _by_record(program)
        self._shapes: dict[str, Shape] = {}
        self._working = False

    @property
    def evaluation_interval(self) -> float:
        return self._policy.fleet.evaluation_interval.seconds

    def metric(self, name: str) -> Shape | None:
        """The series of a metric; None where nothing is known of it."""
        if name in self._shapes:
            return self._shapes[name]
        if name in self._rules:
            # Within a circle of rules the next one is not known yet.
            return UNKNOWN if self._working else self._recorded(name)
        collected = self._policy.collected.get(name)
        if collected is None:
            return _UP if self._foreign and name == "up" else None
        self._shapes[name] = self._collected(collected)
        return self._shapes[name]

    def count(self, labels: Labels, scope: frozenset[str], span: float = 0) -> int | None:
        """Combinations of these labels on the GPUs that the exporters in `scope` report, within some seconds."""
        if not labels.open and not labels.possible:
            return 1
        exporters = [self._exporters[name] for name in scope if name in self._exporters]
        if labels.open or not exporters or not all(e.catalog.vendor for e in exporters):
            return None
        made = {label for label in labels.possible if labels.origin(label) == MADE}
        if not made <= labels.values.keys():
            return None
        factor = math.prod(len(labels.values[k]) + (k not in labels.certain) for k in made)
        total: int | None = 0
        for exporter in exporters:
            called = {
                exporter.canonical.get(labels.origin(label), labels.origin(label)): label
                for label in labels.possible - made
            }
            values = {k: labels.values[v] for k, v in called.items() if v in labels.values}
            vendor = (exporter.catalog.vendor,)
            total = plus(total, arithmetic.series(self._policy, called, vendor, values, span))
        return bounded(None if total is None else total * factor)

    def share(self, part: str, whole: str) -> str:
        """What a metric divided by another is by the catalogs: a share of its whole, or of one of its limits."""
        known = self._policy.known
        if part not in known or whole not in known or part in self._rules or whole in self._rules:
            return ""
        metric, other = known[part][0], known[whole][0]
        if metric.whole == other.name:
            return SHARE
        return LIMITED if other.name in metric.limits else ""

    @cached_property
    def _exporters(self) -> Mapping[str, ExporterInUse]:
        return {str(exporter.catalog.name): exporter for exporter in self._policy.exporters}

    # Recorded series -------------------------------------------------------------------------------------------------

    def _recorded(self, name: str) -> Shape:
        """A record's shape, after those of all records that it reads."""
        for record in self._in_order(name):
            shape = self._of_all(self._rules[record])
            bound = self.count(shape.labels, shape.scope, shape.span)
            self._shapes[record] = shape.but(
                count=least(shape.count, bound),
                metrics=self._named(record, shape.metrics),
                amounts=self._named(record, shape.amounts),
            )
        return self._shapes[name]

    def _of_all(self, rules: Iterable[tuple[RuleGroup, RecordingRule]]) -> Shape:
        """The series that some rules record under one name."""
        shape: Shape | None = None
        for group, rule in rules:
            written = self._written(group, rule)
            shape = shape.union(written) if shape else written
        return shape or UNKNOWN

    def _named(self, record: str, names: frozenset[str]) -> frozenset[str]:
        """A record's name beside those of metrics: with all records on its way, long chains would have no end of them."""
        return frozenset(name for name in names if name not in self._rules) | {record}

    def _written(self, group: RuleGroup, rule: RecordingRule) -> Shape:
        parsed = promql.parse(rule.expr, self._version)
        if isinstance(parsed, promql.Refused):
            return UNKNOWN
        self._working = True
        shape = analyse(parsed.tree, self).result
        self._working = False
        interval = Duration(group.interval).seconds if group.interval else self.evaluation_interval
        labels = shape.labels
        for label, value in rule.labels.items():
            labels = labels.with_value(label, value, MADE)
        if (
            rule.part("expr") is None
        ):  # gpuobs wrote it, and its canonical labels are what they are called
            labels = replace(labels, origins={})
        declared = _interval(rule.range)
        return shape.but(
            type="vector",
            labels=labels,
            unit=shape.unit or units.named(rule.unit),
            range=shape.range.within(declared.low, declared.high) if rule.range else shape.range,
            every=max(interval, shape.every),
            age=shape.age + interval,
        )

    def _in_order(self, name: str) -> Iterator[str]:
        """Records that are not known yet, each after those that it reads: no recursion, for chains of any length."""
        pending, opened, closed = [name], set[str](), set[str]()
        while pending:
            record = pending[-1]
            if record in opened or record in self._shapes:
                pending.pop()
                if record not in closed and record not in self._shapes:
                    closed.add(record)
                    yield record
                continue
            opened.add(record)
            pending += [r for r in self._reads(record) if r in self._rules and r not in opened]

    def _reads(self, record: str) -> Iterator[str]:
        for _, rule in self._rules[record]:
            parsed = promql.parse(rule.expr, self._version)
            if isinstance(parsed, promql.Parsed):
                yield from (selector.name for selector in promql.selectors(parsed))

    # Collected series ------------------------------------------------------------------------------------------------

    def _collected(self, collected: Collected) -> Shape:
        exporter, metric = collected.exporter, collected.metric
        bucket = "le" in metric.labels and collected.name.endswith("_bucket")
        shape = Shape(
            kind="bucket" if bucket else _KINDS.get(metric.kind, metric.kind),
            unit=units.named(metric.unit),
            range=_interval(metric.range),
            labels=self._labels(collected),
            scope=frozenset({str(exporter.catalog.name)}),
            repeats=self._repeats(collected),
            every=self._policy.fleet.scrape_interval.seconds,
            traits=_traits(metric),
            metrics=frozenset({collected.name}),
            amounts=frozenset({collected.name}),
        )
        return shape.but(count=self.count(shape.labels, shape.scope))

    def _labels(self, collected: Collected) -> Labels:
        exporter, metric = collected.exporter, collected.metric
        scraped = exporter.scraped(metric)
        known = self._values(collected).items()
        values = {label: has for label, has in known if label in scraped.possible}
        scraped = replace(scraped, values=values, open=bool(metric.label_prefixes))
        labels = of_labels(scraped, collected.name, exporter.relabelings) or scraped
        return replace(labels, certain=labels.certain | self._policy.always(collected))

    def _values(self, collected: Collected) -> dict[str, frozenset[str]]:
        """The only values of some labels, as they arrive."""
        exporter, policy = collected.exporter, self._policy
        written = ((exporter.renames.get(k, k), v) for k, v in collected.metric.values.items())
        values = {str(label): frozenset(v) for label, v in written}
        values |= {str(k): frozenset({v}) for k, v in exporter.spec.target_labels.items() if v}
        if policy.is_assumed:
            return values
        if EVERY_TARGET not in collected.metric.groups:
            values["job"] = frozenset({exporter.spec.job})
        cluster = exporter.spec.labels.get(names.CLUSTER, names.CLUSTER)  # type: ignore[call-overload]
        values[cluster] = frozenset(str(each.name) for each in policy.fleet.clusters)
        return values

    def _repeats(self, collected: Collected) -> frozenset[str]:
        """Labels across which an exporter repeats one value: a board's under MIG, a GPU's for each pod that shares it."""
        exporter, per = collected.exporter, collected.metric.per
        pools = [
            (cluster, pool)
            for cluster, pool, model in self._policy.pools
            if model.vendor == exporter.catalog.vendor
        ]
        repeated: list[str] = []
        on_instances = per == "gpu" and "mig" not in collected.metric.unsupported
        if on_instances and any(pool.mig for _, pool in pools):
            repeated += (names.MIG_INSTANCE, names.MIG_PROFILE)
        if per in ("gpu", "slice") and any(_shared(cluster) for cluster, _ in pools):
            repeated.append(names.POD)
        found = (exporter.label(label) for label in repeated)
        return frozenset(label for label in found if label)


# Every scrape writes it, whoever is scraped and whatever else a target's labels are.
_UP = Shape(labels=Labels(EVERY_SCRAPE, EVERY_SCRAPE, open=True))

# What a rate field holds is a number like any other: only its unit says that it is one.
_KINDS = {"rate": "gauge", "summary": "gauge"}


def _traits(metric: Metric) -> frozenset[str]:
    quantile = {QUANTILE} if "quantile" in metric.labels else set[str]()
    return frozenset(quantile | ({BLANK} if metric.sentinel == "blank" else set()))


def _shared(cluster: Cluster) -> bool:
    """Whether several pods hold one GPU, and the exporters name each of them."""
    loads = cluster.workloads
    return loads is not None and loads.pods_per_gpu > 1 and loads.identity == "dcgm-pod-labels"


def _interval(bounds: tuple[float | None, float | None] | None) -> Interval:
    if bounds is None:
        return ANY
    low, high = bounds
    # Floats, also of what was written as an integer: Python's integers have no end.
    return Interval(
        -math.inf if low is None else float(low), math.inf if high is None else float(high)
    )


def _by_record(program: Program) -> dict[str, list[tuple[RuleGroup, RecordingRule]]]:
    found: dict[str, list[tuple[RuleGroup, RecordingRule]]] = {}
    for file in (*program.rule_files, *program.known):
        for group in file.groups:
            for rule in group.rules:
                if isinstance(rule, RecordingRule):
                    found.setdefault(rule.record, []).append((group, rule))
    return found
