"""Alerts on what the long-term store refuses, and on the tenant's limits."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpuobs import names
from gpuobs.budget.ledger import by_blocks, long_term
from gpuobs.lower import queries
from gpuobs.lower.budget_alerts.draft import FOUR, Draft, Incident, instances
from gpuobs.lower.budget_alerts.numbers import Numbers, sums
from gpuobs.lower.scrape import enforced
from gpuobs.lower.store import store_plan

_REASONS = ("per_user_series_limit", "rate_limited", "sample-too-old", "label_invalid")


def drafts(numbers: Numbers) -> Iterator[Draft]:
    """Those of the store that the fleet has, if the fleet has its exporter."""
    store = long_term(numbers.policy)
    if store is None or by_blocks(numbers.policy) or not numbers.job_of(store.kind):
        return
    if store.kind == "mimir":
        yield _mimir_discards(numbers, store.tenant)
        yield from _mimir_near_limit(numbers, store.tenant, store.replication)
    if store.kind == "thanos":
        yield _thanos_limited(numbers, store.tenant)


def _tenant(numbers: Numbers, catalog: str, label: str, tenant: str) -> list[str]:
    matchers = [queries.matcher("job", [numbers.job_of(catalog)])]
    return [*matchers, queries.matcher(label, [tenant])] if tenant else matchers


def _mimir_discards(numbers: Numbers, tenant: str) -> Draft:
    metric = "cortex_discarded_samples_total"
    selector = queries.selector(metric, _tenant(numbers, "mimir", "user", tenant))
    at = {
        names.CLUSTER: numbers.first,
        "job": numbers.job_of("mimir"),
        "user": tenant or "anonymous",
    }
    reasons = dict(zip(FOUR, _REASONS, strict=True))
    return Draft(
        name="MimirDiscardsSamples",
        expr=f"sum by (cluster, user, reason) (increase({selector}[15m])) > 0",
        wait=15,
        summary="Mimir discards samples of tenant {{ $labels.user }}: {{ $labels.reason }}",
        description="At a limit of series only new ones are refused: what was there goes on, and each pod that starts is missing. "
        f"By the specs these are sent: {sums(numbers.sent)}.",
        impact="GPUs of new pods, or all samples beyond the rate, are missing in the long-term store.",
        diagnose=(
            "Compare the limits in force with the generated ones, which have their sums beside them.",
            "Find the series that are too many: gpuobs budget audit --url $MIMIR_URL",
        ),
        fix=(
            "Send less: levels and raw of the Fleet's longTerm.",
            "Load the generated limits, if older ones are in force.",
        ),
        incidents=(
            Incident(
                name="the tenant is full",
                metric=metric,
                calm="0",
                bad="10",
                subjects={role: {**at, "reason": reason} for role, reason in reasons.items()},
                by=("reason",),
                counter=True,
                window=15,
            ),
        ),
    )


def _mimir_near_limit(numbers: Numbers, tenant: str, copies: int) -> Iterator[Draft]:
    """Half-way between what is sent by the specs and the generated limit of series."""
    plan = store_plan(numbers.program, numbers.account)
    enforce = enforced(numbers.policy)
    if plan is None or enforce is None or not enforce.tenant_limits:
        return
    limit = int(plan.limits["max_global_series_per_user"])
    bound = math.floor(limit / (1 + numbers.headroom / 2))
    metric = "cortex_ingester_active_series"
    selector = queries.selector(metric, _tenant(numbers, "mimir", "user", tenant))
    at = {names.CLUSTER: numbers.first, "job": numbers.job_of("mimir")}
    subject = {**at, "instance": "ingester-0", "user": tenant or "anonymous"}
    calm, bad = bound * copies, (bound + 1) * copies
    same = {"metric": metric, "calm": str(calm), "bad": str(bad), "by": ("user",)}
    yield Draft(
        name="MimirTenantNearSeriesLimit",
        expr=f"sum by (cluster, user) ({selector}) / {copies} > {bound}",
        wait=30,
        summary="Tenant {{ $labels.user }} has {{ $value | humanize }} active series in Mimir, close to its limit",
        description=f"max_global_series_per_user is {limit:,}: {plan.notes['max_global_series_per_user']}. Half of the room above the "
        f"specs is used at {bound:,}. Ingesters count {copies} copies of each series.",
        impact="None yet. At the limit new series are refused, so that each pod that starts is missing.",
        diagnose=("Find the series that are too many: gpuobs budget audit --url $MIMIR_URL",),
        fix=(
            "Send less: levels and raw of the Fleet's longTerm.",
            "Say in the specs what is there now, build, and load the generated limits.",
        ),
        incidents=tuple(
            Incident(name=name, subjects={role: subject}, **same)  # type: ignore[arg-type]
            for name, role in (
                ("more is sent than by the specs", "over"),
                ("more is sent than by the specs, and then nothing", "gone"),
            )
        ),
    )


def _thanos_limited(numbers: Numbers, tenant: str) -> Draft:
    metric = "thanos_receive_head_series_limited_requests_total"
    selector = queries.selector(metric, _tenant(numbers, "thanos", "tenant", tenant))
    at = {names.CLUSTER: numbers.first, "job": numbers.job_of("thanos")}
    subjects = {
        role: {**labels, **at, "tenant": tenant or "default-tenant"}
        for role, labels in instances(*FOUR).items()
    }
    return Draft(
        name="ThanosReceiveRefusesSeries",
        expr=f"increase({selector}[15m]) > 0",
        wait=10,
        summary="Thanos Receive {{ $labels.instance }} refuses writes of tenant {{ $labels.tenant }}: too many series",
        description=f"The tenant is at its head_series_limit. By the specs these are sent: {sums(numbers.sent)}.",
        impact="Whole writes are refused and sent again; samples of all series of the tenant come late, or are lost.",
        diagnose=(
            "Compare with the limit: thanos_receive_head_series_limit",
            "Find the series that are too many: gpuobs budget audit --url $THANOS_URL",
        ),
        fix=(
            "Send less: levels and raw of the Fleet's longTerm.",
            "Load the generated limits, if older ones are in force.",
        ),
        incidents=(
            Incident(
                name="the tenant is full",
                metric=metric,
                calm="0",
                bad="4",
                subjects=subjects,
                counter=True,
                window=15,
            ),
        ),
    )
