"""Alerts on the way to the long-term store: delay, backlog, and samples that are refused, dropped or sent again."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpuobs import names
from gpuobs.budget.ledger import by_blocks, long_term
from gpuobs.lower import queries, series
from gpuobs.lower.budget_alerts.draft import FOUR, Draft, Incident, instances
from gpuobs.lower.budget_alerts.numbers import Bound, Numbers, over, shown, sums
from gpuobs.lower.collection import queue

_DELAY = 300  # seconds
_REFUSED_SHARE = 0.01  # the share of the Prometheus mixin's PrometheusRemoteStorageFailures
_GAP = "A gap in the long-term store that nothing fills later."
_ANSWERS = "Read the store's answers: kubectl logs -n monitoring $POD -c prometheus | grep -i remote | tail -20"


def drafts(numbers: Numbers) -> Iterator[Draft]:
    """All of them, where Prometheus writes to a store."""
    store = long_term(numbers.policy)
    if store is None or store.kind == "federation" or by_blocks(numbers.policy):
        return
    for make in (_delayed, _backlog, _failing, _dropping, _retrying):
        yield make(numbers)


def _of_queue(numbers: Numbers, metric: str, matcher: str = "") -> str:
    own = f'{{job="{queries.quoted(numbers.prometheus)}"{matcher}}}'
    return f"prometheus_remote_storage_{metric}{own}"


def _queues(numbers: Numbers, cluster: str, **more: str) -> dict[str, dict[str, str]]:
    """The queue of one Prometheus for each role."""
    store = long_term(numbers.policy)
    assert store is not None
    name = {"remote_name": f"{store.kind}-{cluster}", "url": store.url or "http://store"}
    at = {names.CLUSTER: cluster, "job": numbers.prometheus, **name, **more}
    return {role: {**labels, **at} for role, labels in instances(*FOUR).items()}


def _delayed(numbers: Numbers) -> Draft:
    """Newer versions have what came in by queue; those before have one number for all queues."""
    sent = _of_queue(numbers, "queue_highest_sent_timestamp_seconds")
    taken = _of_queue(numbers, "queue_highest_timestamp_seconds")
    newest = _of_queue(numbers, "highest_timestamp_in_seconds")
    waiting = {
        each.name: Bound(
            0,
            f"{shown(each.sent_per_second)} samples a second x {_DELAY} s = {shown(each.sent_per_second * _DELAY)}",
        )
        for each in numbers.account.clusters
    }
    return Draft(
        name="PrometheusRemoteWriteDelayed",
        expr=f"{taken}\n- {sent}\n> {_DELAY}\nor\n{newest}\n- ignoring (remote_name, url) group_right ()\n{sent}\n"
        f"> {_DELAY}",
        wait=10,
        urgent=True,
        summary="Remote write of {{ $labels.instance }} to {{ $labels.remote_name }} is {{ $value | humanizeDuration }} behind",
        description=f"Samples that wait after {_DELAY // 60} minutes: {sums(waiting)}. When the write-ahead log is cut, after two "
        "hours, what was not sent is lost.",
        impact="Dashboards and rules of the long-term store show the past.",
        diagnose=(
            _ANSWERS,
            "See whether it sends at all: rate(prometheus_remote_storage_samples_total[5m])",
        ),
        fix=(
            "Bring the store's receivers back.",
            "Use the generated queue settings, and send rollups only: levels and raw of the Fleet's longTerm.",
        ),
        incidents=(lambda wait: _stuck(numbers, wait),),
    )


def _stuck(numbers: Numbers, wait: int) -> Iterator[dict[str, object]]:
    """Queues that stop, beside one that goes on, while samples come in."""
    metric = "prometheus_remote_storage_queue_highest_sent_timestamp_seconds"
    newest = "prometheus_remote_storage_highest_timestamp_in_seconds"
    fire = 10 + _DELAY // 60 + wait + 2
    end = fire + 15
    values = {
        "over": f"0+60x9 540x{end - 10}",
        "gone": f"0+60x9 540x{fire - 10} stale",
        "under": f"0+60x{end}",
    }
    found = {}
    for role, labels in _queues(numbers, numbers.first).items():
        if role in values:
            own = {k: v for k, v in labels.items() if k not in ("remote_name", "url")}
            found[series.text(metric, labels)] = values[role]
            found[series.text(newest, own)] = f"0+60x{end}"
    yield {
        "name": "the store takes no more samples",
        "series": found,
        "fires": [
            {"at": f"{fire}m", "labels": {"instance": "prometheus-gone"}},
            {"at": f"{fire}m", "labels": {"instance": "prometheus-over"}},
            {"at": f"{end}m", "labels": {"instance": "prometheus-over"}},
        ],
        "quiet": [{"at": "12m"}],
    }


def _backlog(numbers: Numbers) -> Draft:
    bounds: dict[str, Bound] = {}
    for each in numbers.account.clusters:
        settings = queue(each.sent_per_second)
        held = settings.max_shards * settings.capacity
        bounds[each.name] = Bound(
            held // 2,
            f"half of {settings.max_shards} shards x {settings.capacity:,} samples = {held // 2:,}",
        )
    metric = "prometheus_remote_storage_samples_pending"
    cluster, bound = next(iter(bounds.items()))
    return Draft(
        name="PrometheusRemoteWriteBacklog",
        expr=over(lambda matcher: _of_queue(numbers, "samples_pending", matcher), bounds),
        wait=15,
        summary="{{ $value | humanize }} samples wait in the queue of {{ $labels.instance }} to {{ $labels.remote_name }}",
        description=f"The generated queues hold: {sums(bounds)}. What does not fit waits in the write-ahead log, and is lost when "
        "that is cut.",
        impact="None yet; PrometheusRemoteWriteDelayed follows.",
        diagnose=(
            "See the queue: curl -s localhost:9090/metrics | grep -E 'remote_storage_(shards|samples_pending)'",
            _ANSWERS,
        ),
        fix=(
            "Give the store more receivers when its answers are slow.",
            "Raise maxShards of the queue, or send less: levels and raw of the Fleet's longTerm.",
        ),
        incidents=(
            Incident(
                name="the store answers slowly",
                metric=metric,
                calm=queries.number(bound.value),
                bad=queries.number(bound.value + 1),
                subjects=_queues(numbers, cluster),
            ),
        ),
    )


def _failing(numbers: Numbers) -> Draft:
    failed = f"rate({_of_queue(numbers, 'samples_failed_total')}[5m])"
    all_ = f"rate({_of_queue(numbers, 'samples_total')}[5m])"
    metric = "prometheus_remote_storage_samples_failed_total"
    subjects = _queues(numbers, numbers.first)
    beside = {
        series.text("prometheus_remote_storage_samples_total", labels): "0+6000x200"
        for labels in subjects.values()
    }
    return Draft(
        name="PrometheusRemoteWriteFailing",
        expr=f"{failed}\n/\n({failed} + {all_})\n> {_REFUSED_SHARE}",
        wait=15,
        summary="{{ $value | humanizePercentage }} of the samples of {{ $labels.instance }} are refused by {{ $labels.remote_name }}",
        description="More than 1 % of the samples are refused for good. A limit of the tenant, or samples out of order, is the usual "
        f"reason. By the specs these are sent: {sums(numbers.sent)}.",
        impact=_GAP,
        diagnose=(_ANSWERS,),
        fix=("Load the generated limits of the tenant, or send less.",),
        incidents=(
            Incident(
                name="the tenant's limit is reached",
                metric=metric,
                calm="0",
                bad="600",
                subjects=subjects,
                counter=True,
                window=5,
                beside=beside,
            ),
        ),
    )


def _dropping(numbers: Numbers) -> Draft:
    """By reason, which came with sampleAgeLimit (prometheus pull request 13002): what relabelling keeps back is meant."""
    metric = "prometheus_remote_storage_samples_dropped_total"
    reasons = ', reason=~"too_old|unintentionally_dropped_series"'
    return Draft(
        name="PrometheusRemoteWriteDropping",
        expr=f"increase({_of_queue(numbers, 'samples_dropped_total', reasons)}[15m]) > 0",
        wait=5,
        summary="{{ $labels.instance }} drops samples for {{ $labels.remote_name }}: {{ $labels.reason }}",
        description="Samples were read from the write-ahead log and not sent: they were too old by then, or of a series that the "
        f"queue no longer knew. By the specs these are sent: {sums(numbers.sent)}.",
        impact=_GAP,
        diagnose=(_ANSWERS, "See how far behind it was: PrometheusRemoteWriteDelayed"),
        fix=(
            "Bring the store back, or give it more receivers.",
            "Raise sampleAgeLimit of the queue when it is the reason.",
        ),
        incidents=(
            Incident(
                name="an outage of the store is too long",
                metric=metric,
                calm="0",
                bad="50",
                subjects=_queues(numbers, numbers.first, reason="too_old"),
                counter=True,
                window=15,
            ),
        ),
    )


def _retrying(numbers: Numbers) -> Draft:
    metric = "prometheus_remote_storage_samples_retried_total"
    bounds = {
        each.name: Bound(
            round(max(each.sent_per_second * numbers.headroom, 1), 1),
            f"{numbers.headroom:.0%} of the {shown(each.sent_per_second)} that are sent, and 1 at least",
        )
        for each in numbers.account.clusters
    }
    return Draft(
        name="PrometheusRemoteWriteRetrying",
        expr=over(
            lambda matcher: f"rate({_of_queue(numbers, 'samples_retried_total', matcher)}[15m])",
            bounds,
        ),
        wait=15,
        summary="{{ $labels.instance }} sends {{ $value | humanize }} samples a second again to {{ $labels.remote_name }}",
        description=f"Samples sent again, in a second: {sums(bounds)}. Retries take the room that the queue has to catch up.",
        impact="None yet; PrometheusRemoteWriteDelayed follows.",
        diagnose=(_ANSWERS, "For Mimir see whether it is the rate: the answer is 429 then."),
        fix=(
            "Load the generated limits of the tenant: ingestion_rate is ten times what all clusters send.",
            "Give the store more receivers.",
        ),
        incidents=tuple(
            Incident(
                name=f"the store answers {cluster} with 429",
                metric=metric,
                calm=str(math.floor(bound.value * 30)),
                bad=str(math.ceil(bound.value * 120)),
                subjects=_queues(numbers, cluster),
                counter=True,
                window=15,
            )
            for cluster, bound in bounds.items()
        ),
    )
