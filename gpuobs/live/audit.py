"""The account beside the facts: what the specs predict of a server, and what it holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from gpuobs import arithmetic, names
from gpuobs.budget import census, storage
from gpuobs.budget.census import Line
from gpuobs.budget.ledger import Ledger, by_blocks
from gpuobs.budget.recorded import RuleCost
from gpuobs.exporters import ExporterInUse
from gpuobs.ir import AlertingRule
from gpuobs.live.observe import LabelSeen, Observed, Wanted
from gpuobs.policy import Policy

# Beyond this share a metric is not as predicted: pods that come and go blur a count for a scrape or two.
TOLERANCE = 0.02
WORST = 10


@dataclass(frozen=True, kw_only=True)
class Predicted:
    """Series of one metric by the specs: while nothing happens, and at most (None where nothing bounds them)."""

    steady: int
    at_most: int | None
    interval: float  # seconds between two samples


@dataclass(frozen=True, kw_only=True)
class MetricFound:
    """One metric, predicted and as it is. Without a prediction the specs do not know it."""

    name: str
    predicted: Predicted | None
    active: int
    head: int | None
    jobs: tuple[str, ...]
    interval: float

    @property
    def excess(self) -> int:
        """Series more than predicted; less, where it is negative."""
        if self.predicted is None:
            return self.active
        most = self.predicted.at_most
        if self.active > self.predicted.steady and (most is None or self.active <= most):
            return 0
        return self.active - self.predicted.steady

    @property
    def as_predicted(self) -> bool:
        if self.predicted is None:
            return False
        return abs(self.excess) <= TOLERANCE * max(self.predicted.steady, 1)

    @property
    def memory(self) -> float:
        """Bytes that its excess takes in Prometheus' head."""
        return max(0, self.excess) * storage.SERIES_IN_HEAD.value

    @property
    def samples_per_second(self) -> float:
        """Samples that its excess brings."""
        return max(0, self.excess) / self.interval


@dataclass(frozen=True, kw_only=True)
class LabelFound:
    """A label with something that the specs did not predict. `most` is None where they set no bound."""

    seen: LabelSeen
    most: int | None
    unknown: bool
    unexpected: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Audit:
    """A comparison, metric by metric and label by label."""

    cluster: str
    observed: Observed
    metrics: tuple[MetricFound, ...]
    missing: tuple[str, ...]
    labels: tuple[LabelFound, ...]

    @cached_property
    def known(self) -> tuple[MetricFound, ...]:
        """Metrics of the specs."""
        return tuple(each for each in self.metrics if each.predicted is not None)

    @cached_property
    def unknown(self) -> tuple[MetricFound, ...]:
        """Metrics that are there and not in the specs, most series first."""
        found = (each for each in self.metrics if each.predicted is None)
        return tuple(sorted(found, key=lambda each: (-each.active, each.name)))

    @cached_property
    def different(self) -> tuple[MetricFound, ...]:
        """Metrics of the specs whose series are not as many as predicted, the furthest off first."""
        found = (each for each in self.known if not each.as_predicted)
        return tuple(sorted(found, key=lambda each: (-abs(each.excess), each.name)))

    @cached_property
    def worst(self) -> tuple[MetricFound, ...]:
        """The ten metrics that have most series more than predicted."""
        found = (each for each in self.metrics if each.excess > 0 and not each.as_predicted)
        return tuple(sorted(found, key=lambda each: (-each.excess, each.name))[:WORST])

    @property
    def is_clean(self) -> bool:
        """Whether all is as predicted."""
        return not (self.different or self.unknown or self.missing or self.labels)


@dataclass(frozen=True)
class Prediction:
    """What the specs predict of one server: of a cluster's Prometheus, or of the long-term store of all."""

    ledger: Ledger
    cluster: str  # empty for the store

    @property
    def _lines(self) -> Iterator[Line]:
        for account in self.ledger.clusters:
            if self.cluster in ("", account.name):
                yield from account.lines if self.cluster else account.sent_lines

    @property
    def _rules(self) -> Iterator[RuleCost]:
        if not self.cluster:
            yield from self.ledger.of_ruler
        for account in self.ledger.clusters:
            if self.cluster in ("", account.name):
                yield from account.rules if self.cluster else account.sent_rules

    @cached_property
    def metrics(self) -> Mapping[str, Predicted]:
        """Series by metric."""
        steady: dict[str, int] = {}
        most: dict[str, int | None] = {}
        every: dict[str, float] = {}
        scrape = self.ledger.policy.fleet.scrape_interval.seconds
        for line in self._lines:
            _add(steady, most, line.name, line.active, line.at_most)
            every[line.name] = scrape
        for cost in self._rules:
            if not isinstance(cost.rule, AlertingRule):
                writes = cost.writes
                _add(steady, most, cost.name, writes or 0, writes)
                every[cost.name] = cost.interval
        if self.cluster or by_blocks(self.ledger.policy):
            targets = (g for g in self.ledger.targets if self.cluster in ("", g.cluster))
            count = sum(group.count for group in targets)
            for name in census.OF_A_SCRAPE:
                _add(steady, most, name, count, count)
                every[name] = scrape
            interval = self.ledger.policy.fleet.evaluation_interval.seconds
            for name in census.OF_ALERTS:
                _add(steady, most, name, 0, None)
                every[name] = interval
        return {
            name: Predicted(steady=steady[name], at_most=most[name], interval=every[name])
            for name in sorted(steady)
        }

    def wanted(self, matcher: str = "") -> Wanted:
        """What a server is to be asked."""
        expected = {name: each.steady for name, each in self.metrics.items()}
        samples = {
            line.name: tuple(sorted(line.exporter.labels_of(line.metric)))
            for line in self._samples.values()
        }
        return Wanted(expected=expected, samples=samples, matcher=matcher)

    @cached_property
    def _samples(self) -> Mapping[str, Line]:
        """For each exporter and kind of entity the metric whose labels are looked at: one that has most series."""
        found: dict[tuple[str, str, tuple[str, ...]], Line] = {}
        for line in self._lines:
            key = (str(line.exporter.catalog.name), line.metric.per, tuple(line.metric.labels))
            if line.active and (key not in found or line.active > found[key].active):
                found[key] = line
        return {line.name: line for line in found.values()}

    def audit(self, observed: Observed) -> Audit:
        """A server's facts beside what is predicted of it."""
        asked = set(observed.active)
        silent = {*observed.unasked, *observed.refused}
        return Audit(
            cluster=self.cluster,
            observed=observed,
            metrics=tuple(self._metric(name, observed) for name in sorted(asked)),
            missing=tuple(
                name
                for name, each in self.metrics.items()
                if each.steady and not observed.active.get(name) and name not in silent
            ),
            labels=tuple(self._labels(observed.labels)),
        )

    def _metric(self, name: str, observed: Observed) -> MetricFound:
        predicted = self.metrics.get(name)
        scrape = self.ledger.policy.fleet.scrape_interval.seconds
        return MetricFound(
            name=name,
            predicted=predicted,
            active=observed.active[name],
            head=observed.head.get(name),
            jobs=tuple(sorted(observed.jobs.get(name, {}))),
            interval=predicted.interval if predicted else scrape,
        )

    # Labels ----------------------------------------------------------------------------------------------------------

    def _labels(self, seen: Iterable[LabelSeen]) -> Iterator[LabelFound]:
        for label in seen:
            line = self._samples[label.metric]
            possible = line.exporter.labels_of(line.metric)
            prefixes = tuple(line.metric.label_prefixes)
            unknown = label.label not in possible and not label.label.startswith(prefixes or "\0")
            expected = _values(self.ledger.policy, line, label.label)
            unexpected = tuple(
                v for v in label.values if expected is not None and v not in expected
            )
            most = self._most(line, label.label)
            too_many = most is not None and label.count > most
            if label.count and (unknown or unexpected or too_many):
                yield LabelFound(seen=label, most=most, unknown=unknown, unexpected=unexpected)

    def _most(self, line: Line, label: str) -> int | None:
        """Values of a label, at most: those of the entity that it belongs to."""
        canonical = line.exporter.canonical.get(label, label)
        if not line.pool or canonical not in arithmetic.KNOWN:
            return None
        policy, vendor = self.ledger.policy, (line.exporter.catalog.vendor,)
        picked = {names.CLUSTER: frozenset({self.cluster})} if self.cluster else {}
        return arithmetic.series(policy, (canonical,), vendor, picked)


def _values(policy: Policy, line: Line, label: str) -> frozenset[str] | None:
    """The only values that a label can have by the specs; None where they do not say."""
    exporter: ExporterInUse = line.exporter
    canonical = exporter.canonical.get(label, label)
    vendor = exporter.catalog.vendor
    pools = [entry for entry in policy.pools if entry[2].vendor == vendor]
    if canonical == names.CLUSTER:
        return frozenset(str(cluster.name) for cluster in policy.fleet.clusters)
    if canonical == names.POOL and vendor:
        return frozenset(str(pool.name) for _, pool, _ in pools)
    if canonical == names.MODEL and vendor and all(model.model_label for _, _, model in pools):
        return frozenset(model.model_label for _, _, model in pools)
    if canonical == names.MIG_PROFILE:
        return frozenset(profile for _, pool, _ in pools for profile in pool.mig)
    written = {exporter.renames.get(k, k): v for k, v in line.metric.values.items()}
    found = written.get(label)
    return None if found is None else frozenset(found)


def _add(
    steady: dict[str, int],
    most: dict[str, int | None],
    name: str,
    active: int,
    at_most: int | None,
) -> None:
    steady[name] = steady.get(name, 0) + active
    known = most.get(name, 0)
    most[name] = None if known is None or at_most is None else known + at_most
