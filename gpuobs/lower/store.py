"""Limits of the long-term store, from what all clusters send to it."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from gpuobs.budget import storage
from gpuobs.budget.ledger import MONTH_DAYS, Ledger, by_blocks, long_term, storage_of
from gpuobs.expressions import result
from gpuobs.ir import Program, RecordingRule
from gpuobs.lower.groups import MIMIR_RULES_PER_GROUP
from gpuobs.lower.scrape import enforced, headroom
from gpuobs.plan import StorePlan
from gpuobs.policy import Policy

# Mimir's defaults (pkg/util/validation/limits.go), below which a limit would only be in the way of others.
_LABEL_NAMES = 30
_RULE_GROUPS = 70
# Times the usual rate that Prometheus may send and the store takes after an outage: an hour of it is gone in 60 / 9 minutes.
CATCH_UP = 10
SAMPLES_PER_SEND = 2000  # Prometheus' default since 2.44 (its changelog); older ones take it too

_Limits = dict[
    str, tuple[int | str | bool, str]
]  # by the store's name for it: its value, and its sum


@dataclass(frozen=True)
class _Sent:
    """What all clusters send, once replicas are deduplicated."""

    series: int
    churned: int
    per_second: float
    largest: tuple[str, int, int]  # the metric with most series, these, and those of it that ended
    labels: int | None  # of the series with most; None where nothing bounds them
    groups: int


def store_plan(program: Program, account: Ledger) -> StorePlan | None:
    """What the store should refuse; None where there is no store that has limits."""
    policy = account.policy
    store = long_term(policy)
    if store is None or store.kind == "federation":
        return None
    enforce, more = enforced(policy), headroom(policy)
    wanted = enforce is not None and enforce.tenant_limits and not by_blocks(policy)
    sent = _sent(program, account)
    limits = (_mimir if store.kind == "mimir" else _thanos)(policy, sent, more) if wanted else {}
    return StorePlan(
        kind=store.kind,
        tenant=store.tenant,
        mode=store.mode,
        limits={name: value for name, (value, _) in limits.items()},
        notes={name: how for name, (_, how) in limits.items()},
        retention=days(str(storage_of(policy).cold)),
    )


def _sent(program: Program, account: Ledger) -> _Sent:
    series: Counter[str] = Counter()
    ended: Counter[str] = Counter()
    per_second = 0.0
    for cluster in account.clusters:
        per_second += cluster.sent_per_second
        for line in cluster.sent_lines:
            series[line.name] += line.active
            ended[line.name] += math.ceil(line.churned(storage.HEAD_SECONDS))
        for rule in cluster.sent_rules:
            series[rule.name] += rule.writes or 0
            ended[rule.name] += math.ceil(rule.churned(storage.HEAD_SECONDS))
    for rule in account.of_ruler:
        series[rule.name] += rule.writes or 0
        per_second += (rule.writes or 0) / rule.interval
    largest = max(series, key=lambda name: (series[name] + ended[name], name), default="")
    return _Sent(
        series=series.total(),
        churned=ended.total(),
        per_second=per_second,
        largest=(largest, series[largest], ended[largest]),
        labels=_most_labels(program, account),
        groups=sum(len(file.groups) for file in program.rule_files if file.of_fleet),
    )


def _most_labels(program: Program, account: Ledger) -> int | None:
    """Labels of the series with most of them, its name not counted."""
    counts = [0]
    for cluster in account.clusters:
        for line in cluster.sent_lines:
            if line.metric.label_prefixes:
                return None
            counts.append(len(line.exporter.labels_of(line.metric)))
    for rule in program.rules:
        if not isinstance(rule, RecordingRule):
            continue
        keeps = rule.keeps
        if keeps is None:
            shape = result(program, rule)
            if shape is None or shape.labels.open:
                return None
            keeps = tuple(shape.labels.possible)
        counts.append(len({*keeps, *rule.labels}))
    return max(counts)


def _mimir(policy: Policy, sent: _Sent, more: float) -> _Limits:
    """Overrides of a tenant, by their names in Mimir 2.0 to 3.0: pkg/util/validation/limits.go."""
    plus = f"and {more:.0%} more"
    name, count, ended = sent.largest
    replicas = storage_of(policy).replicas
    found: dict[str, tuple[int | str | bool, str]] = {
        "max_global_series_per_user": (
            math.ceil((sent.series + sent.churned) * (1 + more)),
            f"{sent.series:,} series are sent and {sent.churned:,} end within 3 h; {plus}",
        ),
        "max_global_series_per_metric": (
            math.ceil((count + ended) * (1 + more)),
            f"{name} has most, {count:,} that are sent and {ended:,} that end within 3 h; {plus}",
        ),
        "ingestion_rate": (
            math.ceil(sent.per_second * CATCH_UP),
            f"{sent.per_second:,.1f} samples a second, of one replica; {CATCH_UP} times as many, to make up for an outage",
        ),
        "ingestion_burst_size": (
            max(SAMPLES_PER_SEND, math.ceil(sent.series * (1 + more))),
            f"all {sent.series:,} series at once, for rules write together, {plus}, or the {SAMPLES_PER_SEND:,} samples of "
            "one request where that is more",
        ),
        "ruler_max_rules_per_rule_group": (
            MIMIR_RULES_PER_GROUP,
            "Mimir's default, which every group keeps to",
        ),
        "ruler_max_rule_groups_per_tenant": (
            max(_RULE_GROUPS, math.ceil(sent.groups * (1 + more))),
            f"{sent.groups} groups are the ruler's, {plus}, or Mimir's default of {_RULE_GROUPS}",
        ),
        "compactor_blocks_retention_period": (
            days(str(storage_of(policy).cold)),
            f"the cold tier's {storage_of(policy).cold}",
        ),
    }
    if sent.labels is not None:
        found["max_label_names_per_series"] = (
            max(_LABEL_NAMES, math.ceil((sent.labels + 3) * (1 + more))),
            f"{sent.labels} labels, __name__, cluster and __replica__, {plus}, or Mimir's default of {_LABEL_NAMES}",
        )
    if replicas > 1:
        same = f"{replicas} replicas of each Prometheus send the same"
        found["accept_ha_samples"] = (True, same)
        found["ha_cluster_label"] = ("cluster", "an external label of each Prometheus")
        found["ha_replica_label"] = ("__replica__", "an external label of each replica")
    return found


def _thanos(policy: Policy, sent: _Sent, more: float) -> _Limits:
    """Limits of a receiver's tenant, by their names in Thanos 0.30 to 0.40: pkg/receive/limiter_config.go."""
    replicas, store = storage_of(policy).replicas, long_term(policy)
    copies = store.replication if store else 1
    series = (sent.series + sent.churned) * replicas * copies
    request = f"five times the {SAMPLES_PER_SEND:,} samples that Prometheus puts into a request"
    return {
        "head_series_limit": (
            math.ceil(series * (1 + more)),
            f"({sent.series:,} series + {sent.churned:,} that end within 3 h) x {replicas} replicas, which a receiver "
            f"keeps apart, x {copies} copies, and {more:.0%} more; only with a meta_monitoring_url",
        ),
        "series_limit": (5 * SAMPLES_PER_SEND, request),
        "samples_limit": (5 * SAMPLES_PER_SEND, request),
    }


def days(retention: str) -> str:
    """A retention in days, which every store understands: it knows no months."""
    if retention.endswith("mo"):
        return f"{math.ceil(int(retention[:-2]) * MONTH_DAYS)}d"
    return retention
