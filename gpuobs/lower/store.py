"""Limits of the long-term store, from what all clusters send to it."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from gpuobs.budget import storage
from gpuobs.budget.ledger import Ledger, long_term, storage_of
from gpuobs.ir import Program
from gpuobs.lower.groups import MIMIR_RULES_PER_GROUP
from gpuobs.plan import StorePlan
from gpuobs.policy import Policy

# Mimir's default is ten thousand samples a second and a burst of twenty times that (pkg/util/validation/limits.go).
_BURST = 20
_MONTH_DAYS = 30.4375


@dataclass(frozen=True)
class _Sent:
    """What all clusters send, once replicas are deduplicated."""

    series: int
    churned: int
    per_second: float
    largest: tuple[str, int]
    labels: int
    groups: int


def store_plan(program: Program, account: Ledger) -> StorePlan | None:
    """What the store should refuse; None where there is no store that has limits."""
    policy = account.policy
    store = long_term(policy)
    if store is None or store.kind == "federation":
        return None
    headroom = policy.budget.limits.headroom if policy.budget else 0.2
    wanted = policy.budget is not None and (
        policy.budget.enforce is None or policy.budget.enforce.tenant_limits
    )
    sent = _sent(program, account)
    limits, notes = (_mimir if store.kind == "mimir" else _thanos)(policy, sent, headroom)
    return StorePlan(
        kind=store.kind,
        tenant=store.tenant,
        mode=store.mode,
        limits=limits if wanted else {},
        notes=notes if wanted else {},
        retention=days(str(storage_of(policy).cold)),
    )


def _sent(program: Program, account: Ledger) -> _Sent:
    by_metric: Counter[str] = Counter()
    churned, per_second, labels = 0.0, 0.0, 0
    for cluster in account.clusters:
        churned += sum(line.churned(storage.HEAD_SECONDS) for line in cluster.sent_lines)
        churned += sum(rule.churned(storage.HEAD_SECONDS) for rule in cluster.sent_rules)
        per_second += cluster.sent_per_second
        for line in cluster.sent_lines:
            by_metric[line.name] += line.active
            labels = max(labels, len(line.exporter.labels_of(line.metric)))
        for rule in cluster.sent_rules:
            by_metric[rule.name] += rule.writes or 0
    for rule in account.of_ruler:
        by_metric[rule.name] += rule.writes or 0
        per_second += (rule.writes or 0) / rule.interval
    keeps = (getattr(rule, "keeps", None) or () for rule in program.rules)
    labels = max(labels, *(len(each) for each in keeps), 0)
    groups = sum(len(file.groups) for file in program.rule_files if file.of_fleet)
    largest = max(by_metric.items(), key=lambda item: (item[1], item[0]), default=("", 0))
    return _Sent(by_metric.total(), math.ceil(churned), per_second, largest, labels, groups)


def _mimir(
    policy: Policy, sent: _Sent, headroom: float
) -> tuple[dict[str, int | str | bool], dict[str, str]]:
    """Overrides of a tenant, by their names in pkg/util/validation/limits.go."""
    more = f"and {headroom:.0%} more"
    series = sent.series + sent.churned
    name, count = sent.largest
    rate = sent.per_second * (1 + headroom)
    limits: dict[str, int | str | bool] = {
        "max_global_series_per_user": math.ceil(series * (1 + headroom)),
        "max_global_series_per_metric": math.ceil(count * (1 + headroom)),
        "ingestion_rate": math.ceil(rate),
        "ingestion_burst_size": math.ceil(rate) * _BURST,
        # The tenant's own labels: the name, and what Prometheus adds for its replicas.
        "max_label_names_per_series": math.ceil((sent.labels + 3) * (1 + headroom)),
        "ruler_max_rules_per_rule_group": MIMIR_RULES_PER_GROUP,
        "ruler_max_rule_groups_per_tenant": math.ceil(max(1, sent.groups) * (1 + headroom)),
        "compactor_blocks_retention_period": days(str(storage_of(policy).cold)),
    }
    notes = {
        "max_global_series_per_user": f"{sent.series:,} active series are sent and {sent.churned:,} end within 3 h; {more}",
        "max_global_series_per_metric": f"{name} has most, {count:,}; {more}",
        "ingestion_rate": f"{sent.per_second:,.1f} samples a second once replicas are deduplicated; {more}",
        "ingestion_burst_size": f"{_BURST} times the rate, as in Mimir's defaults",
        "max_label_names_per_series": f"{sent.labels} labels, __name__, cluster and __replica__; {more}",
        "ruler_max_rule_groups_per_tenant": f"{sent.groups} groups over all clusters; {more}",
    }
    if storage_of(policy).replicas > 1:
        limits["accept_ha_samples"] = True
        limits["ha_replica_label"] = "__replica__"
        notes["accept_ha_samples"] = (
            f"{storage_of(policy).replicas} replicas of each Prometheus send the same"
        )
    return limits, notes


def _thanos(
    policy: Policy, sent: _Sent, headroom: float
) -> tuple[dict[str, int | str | bool], dict[str, str]]:
    """Limits of a receiver's tenant, by their names in pkg/receive/limiter_config.go."""
    more = f"and {headroom:.0%} more"
    replicas = storage_of(policy).replicas
    series = (sent.series + sent.churned) * replicas
    limits: dict[str, int | str | bool] = {
        "head_series_limit": math.ceil(series * (1 + headroom)),
        # One request of Prometheus has at most max_samples_per_send samples, one of each series.
        "series_limit": 10_000,
        "samples_limit": 10_000,
    }
    notes = {
        "head_series_limit": f"({sent.series:,} active series + {sent.churned:,} that end within 3 h) x {replicas} "
        f"replicas, which a receiver does not deduplicate; {more}",
        "series_limit": "five times the 2,000 samples of one request",
        "samples_limit": "five times the 2,000 samples of one request",
    }
    return limits, notes


def days(retention: str) -> str:
    """A retention in days, which every store understands: it knows no months."""
    if retention.endswith("mo"):
        return f"{math.ceil(int(retention[:-2]) * _MONTH_DAYS)}d"
    return retention
