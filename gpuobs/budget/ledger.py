"""The whole account: what each cluster's Prometheus holds, appends, reads and sends on."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeVar

from gpuobs import names
from gpuobs.budget import census, storage
from gpuobs.budget.census import Line, Targets
from gpuobs.budget.recorded import RuleCost, costs
from gpuobs.ir import Program, RecordingRule
from gpuobs.policy import Policy
from gpuobs.spec.model import LongTerm, Storage
from gpuobs.spec.scalars import Duration

_DAY = 86_400
MONTH_DAYS = 30.4375
_MONTH = MONTH_DAYS * _DAY


@lru_cache(maxsize=64)
def ledger(program: Program, policy: Policy | None = None) -> Ledger:
    """The account of a program, or of what it would be with another policy under the same rules."""
    policy = policy or program.policy
    assert policy is not None
    groups = sum(len(file.groups) for file in program.rule_files if not file.of_fleet)
    lines = census.lines(policy, groups)
    return Ledger(policy, lines, census.targets(policy), costs(program, policy))


@dataclass(frozen=True, eq=False)
class Ledger:
    """What the monitoring of a fleet costs, line by line and in all."""

    policy: Policy
    lines: tuple[Line, ...]
    targets: tuple[Targets, ...]
    rules: tuple[RuleCost, ...]

    @cached_property
    def clusters(self) -> tuple[ClusterAccount, ...]:
        """The account of each cluster, in the fleet's order."""
        lines, targets, rules = (
            _by_cluster(self.lines),
            _by_cluster(self.targets),
            _by_cluster(self.rules),
        )
        return tuple(
            ClusterAccount(
                name=str(cluster.name),
                policy=self.policy,
                lines=tuple(lines.get(str(cluster.name), ())),
                targets=tuple(targets.get(str(cluster.name), ())),
                rules=tuple(rules.get(str(cluster.name), ())),
            )
            for cluster in self.policy.fleet.clusters
        )

    @property
    def of_ruler(self) -> tuple[RuleCost, ...]:
        """Rules that only the long-term store's ruler can evaluate."""
        return tuple(rule for rule in self.rules if not rule.cluster)

    def sent(self, line: Line) -> bool:
        """Whether a raw metric's series are sent to the long-term store."""
        return is_sent_raw(self.policy, line)


@dataclass(frozen=True, kw_only=True, eq=False)
class ClusterAccount:
    """What one Prometheus of a cluster does. Its replicas do the same once more; all numbers are of one of them."""

    name: str
    policy: Policy
    lines: tuple[Line, ...]
    targets: tuple[Targets, ...]
    rules: tuple[RuleCost, ...]

    # Series ----------------------------------------------------------------------------------------------------------

    @cached_property
    def scraped(self) -> int:
        """Active series that exporters write."""
        return sum(line.active for line in self.lines)

    @cached_property
    def of_scrapes(self) -> int:
        """Series of the scrapes themselves."""
        return len(census.OF_A_SCRAPE) * sum(group.count for group in self.targets)

    @cached_property
    def recorded(self) -> int:
        """Series that recording rules write."""
        return sum(rule.writes or 0 for rule in self.rules)

    @property
    def active(self) -> int:
        """Series that get samples."""
        return self.scraped + self.of_scrapes + self.recorded

    @property
    def churned(self) -> int:
        """Series that ended, and that the head still holds."""
        return self.churned_within(storage.HEAD_SECONDS)

    def churned_within(self, seconds: float) -> int:
        """Series that end within some seconds."""
        items: Iterable[Line | RuleCost] = (*self.lines, *self.rules)
        return math.ceil(sum(item.churned(seconds) for item in items))

    @property
    def born_per_second(self) -> float:
        """Series that begin in a second because a pod follows another; as many end."""
        scraped = sum(line.active * line.renewed for line in self.lines)
        return scraped + sum((rule.held or 0) * rule.renewed for rule in self.rules)

    @property
    def head(self) -> int:
        """Series in the head, at most."""
        return self.active + self.churned

    # Samples per second ----------------------------------------------------------------------------------------------

    @property
    def scrape_interval(self) -> float:
        return self.policy.fleet.scrape_interval.seconds

    @property
    def scraped_per_second(self) -> float:
        """Samples that exporters are scraped of."""
        return self.scraped / self.scrape_interval

    @property
    def of_scrapes_per_second(self) -> float:
        return self.of_scrapes / self.scrape_interval

    @property
    def recorded_per_second(self) -> float:
        return sum((rule.writes or 0) / rule.interval for rule in self.rules)

    @property
    def appended_per_second(self) -> float:
        """All samples that Prometheus appends to its head."""
        return self.scraped_per_second + self.of_scrapes_per_second + self.recorded_per_second

    # The long-term store ---------------------------------------------------------------------------------------------

    @cached_property
    def sent_lines(self) -> tuple[Line, ...]:
        """Raw metrics that are sent to the long-term store."""
        return tuple(line for line in self.lines if is_sent_raw(self.policy, line))

    @cached_property
    def sent_rules(self) -> tuple[RuleCost, ...]:
        """Recording rules whose series are sent to the long-term store."""
        return tuple(rule for rule in self.rules if is_sent(self.policy, rule))

    @property
    def sent(self) -> int:
        """Series that one Prometheus sends."""
        return self.sent_raw + sum(rule.writes or 0 for rule in self.sent_rules)

    @property
    def sent_raw(self) -> int:
        """Series of those sent that are scraped; in whole blocks also those of the scrapes themselves."""
        raw = sum(line.active for line in self.sent_lines)
        return raw + (self.of_scrapes if by_blocks(self.policy) else 0)

    @property
    def sent_ended(self) -> int:
        """Series of those sent that ended, and that the store's memory still holds as a head does."""
        items: Iterable[Line | RuleCost] = (*self.sent_lines, *self.sent_rules)
        return math.ceil(sum(item.churned(storage.HEAD_SECONDS) for item in items))

    @property
    def sent_per_second(self) -> float:
        """Samples that one Prometheus sends."""
        raw = self.sent_raw / self.scrape_interval
        return raw + sum((rule.writes or 0) / rule.interval for rule in self.sent_rules)

    @property
    def write_reduction(self) -> float | None:
        """Scraped samples over those sent; None where nothing is sent by sample."""
        if long_term(self.policy) is None or not self.sent_per_second:
            return None
        return (self.scraped_per_second + self.of_scrapes_per_second) / self.sent_per_second

    # Reads -----------------------------------------------------------------------------------------------------------

    @cached_property
    def read(self) -> int:
        """Series that all rules read at one evaluation."""
        return sum(rule.reads or 0 for rule in self.rules)

    # Bytes -----------------------------------------------------------------------------------------------------------

    @property
    def memory(self) -> float:
        """Bytes of memory for the head."""
        return self.head * storage.SERIES_IN_HEAD.value

    @property
    def hot(self) -> float:
        """Bytes of samples younger than the hot tier's age."""
        return self._kept(Duration(storage_of(self.policy).hot).seconds)

    @property
    def warm(self) -> float:
        """Bytes on Prometheus' disk."""
        return self._kept(Duration(storage_of(self.policy).warm).seconds)

    def _kept(self, seconds: float) -> float:
        return self.appended_per_second * seconds * storage.SAMPLE_ON_DISK.value

    @property
    def cold(self) -> float:
        """Bytes of this cluster's samples in object storage, once replicas are deduplicated."""
        return self.sent_per_second * self.cold_seconds * storage.SAMPLE_IN_STORE.value

    @property
    def cold_seconds(self) -> float:
        """How long the long-term store keeps a sample."""
        return retention_seconds(str(storage_of(self.policy).cold))


_Item = TypeVar("_Item", Line, Targets, RuleCost)


def _by_cluster(items: Iterable[_Item]) -> dict[str, list[_Item]]:
    found: dict[str, list[_Item]] = {}
    for item in items:
        found.setdefault(item.cluster, []).append(item)
    return found


def storage_of(policy: Policy) -> Storage:
    """The fleet's storage; where it says nothing, the language's defaults."""
    return policy.fleet.storage or Storage(written=policy.fleet.written)


def long_term(policy: Policy) -> LongTerm | None:
    """The store that samples are sent to; None where there is none."""
    found = policy.fleet.storage.long_term if policy.fleet.storage else None
    return None if found is None or found.kind == "none" else found


def by_blocks(policy: Policy) -> bool:
    """Whether the long-term store gets whole blocks, by a sidecar, and so all series."""
    store = long_term(policy)
    return store is not None and store.kind == "thanos" and store.mode == "sidecar"


def is_sent(policy: Policy, rule: RuleCost) -> bool:
    """Whether what a rule writes is sent to the long-term store."""
    store = long_term(policy)
    if store is None or not isinstance(rule.rule, RecordingRule):
        return False
    if by_blocks(policy):
        return True
    if rule.rule.labels.get(names.CLUSTER) in other_clusters(policy, rule.cluster):
        return False
    return not rule.level or rule.level in store.levels


def other_clusters(policy: Policy, cluster: str) -> tuple[str, ...]:
    """Clusters whose constants a Prometheus records too, and which send them themselves."""
    return tuple(str(each.name) for each in policy.fleet.clusters if each.name != cluster)


def is_sent_raw(policy: Policy, line: Line) -> bool:
    """Whether a raw metric's series are sent to the long-term store."""
    store = long_term(policy)
    if store is None:
        return False
    wanted = set(store.raw)
    return by_blocks(policy) or line.name in wanted or not wanted.isdisjoint(line.metric.groups)


def retention_seconds(text: str) -> float:
    """Seconds of a retention, whose months are of 30.4375 days, as years of 365.25 days have twelve of them."""
    if text.endswith("mo"):
        return float(text[:-2]) * _MONTH
    return Duration(text).seconds
