"""Alerts on what one Prometheus holds and appends: its head, the head's trend, churn, samples, and the limits of scrapes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from gpuobs import names
from gpuobs.lower import queries, series
from gpuobs.lower.budget_alerts.draft import FOUR, Draft, Incident, instances
from gpuobs.lower.budget_alerts.numbers import Bound, Bounds, Numbers, over, sums
from gpuobs.spec.scalars import duration

_HEAD = "prometheus_tsdb_head_series"
_NO_MEMORY = (
    "Prometheus needs more memory than it was given, and is killed for it in the end: then nothing of the cluster "
    "is watched."
)
_AUDIT = "Compare what is there with the specs, the worst first: gpuobs budget audit --url http://localhost:9090"
_STATUS = "See which metrics and labels have most series: curl -s localhost:9090/api/v1/status/tsdb | jq .data"
_NEW = (
    "Find the job that makes them: topk(5, sum by (job) (sum_over_time(scrape_series_added[1h])))"
)
_DROP = "Drop the label or the metric that grew, in metricRelabelings of its exporter, and build."


def drafts(numbers: Numbers) -> Iterator[Draft]:
    """All of them."""
    heads = numbers.stated(
        numbers.limits.head_series_per_cluster, "headSeriesPerCluster", lambda each: each.head
    )
    if numbers.limits.head_series_per_cluster is not None and numbers.headroom:
        yield _head_near(numbers, heads)
    yield _head_over(numbers, heads)
    yield _head_soon(numbers, heads)
    yield _churn(numbers)
    yield _appended(numbers)
    yield from _near_sample_limit(numbers)
    yield _sample_limit_hit(numbers)
    yield _label_limit_hit(numbers)


def _own(numbers: Numbers, metric: str, matcher: str = "") -> str:
    """A metric of Prometheus itself."""
    return f'{metric}{{job="{queries.quoted(numbers.prometheus)}"{matcher}}}'


def _level(numbers: Numbers, metric: str, bounds: Bounds, name: str) -> Incident:
    """A number that passes the first cluster's bound in one Prometheus, and not in others."""
    cluster, bound = next(iter(bounds.items()))
    subjects = {
        role: {**labels, names.CLUSTER: cluster, "job": numbers.prometheus}
        for role, labels in instances(*FOUR).items()
    }
    calm, bad = math.floor(bound.value), math.floor(bound.value) + 1
    return Incident(name=name, metric=metric, calm=str(calm), bad=str(bad), subjects=subjects)


def _rate(
    numbers: Numbers, metric: str, bounds: Bounds, name: str, window: int, **more: str
) -> Incident:
    """A counter that grows half as fast as the first cluster's bound, and then twice as fast."""
    cluster, bound = next(iter(bounds.items()))
    subjects = {
        role: {**labels, **more, names.CLUSTER: cluster, "job": numbers.prometheus}
        for role, labels in instances(*FOUR).items()
    }
    return Incident(
        name=name,
        metric=metric,
        calm=str(math.floor(bound.value * 30)),
        bad=str(math.ceil(bound.value * 120)),
        subjects=subjects,
        counter=True,
        window=window,
    )


def _head_near(numbers: Numbers, heads: Bounds) -> Draft:
    limit = next(iter(heads.values())).value
    free = math.floor(limit * (1 - numbers.headroom))
    bounds = {cluster: Bound(free, "") for cluster in heads}
    return Draft(
        name="PrometheusHeadSeriesNearBudget",
        expr=over(lambda matcher: _own(numbers, _HEAD, matcher), bounds),
        wait=30,
        summary="{{ $labels.instance }} holds {{ $value | humanize }} series, more than the budget's headroom allows",
        description=f"headSeriesPerCluster is {limit:,.0f}, of which {numbers.headroom:.0%} stay free: {free:,} "
        "series in the head of each Prometheus.",
        impact=f"None yet. At the limit: {_NO_MEMORY}",
        diagnose=(_STATUS, _AUDIT, _NEW),
        fix=(
            _DROP,
            "Raise headSeriesPerCluster, and the memory, if the fleet has grown as it should.",
        ),
        incidents=(_level(numbers, _HEAD, bounds, "the head grows into its headroom"),),
    )


def _head_over(numbers: Numbers, heads: Bounds) -> Draft:
    return Draft(
        name="PrometheusHeadSeriesOverBudget",
        expr=over(lambda matcher: _own(numbers, _HEAD, matcher), heads),
        wait=15,
        urgent=True,
        summary="{{ $labels.instance }} holds {{ $value | humanize }} series, more than the budget",
        description=f"The head of each Prometheus may have: {sums(heads)}.",
        impact=_NO_MEMORY,
        diagnose=(
            _STATUS,
            _AUDIT,
            "See how much memory is left: kubectl top pod -n monitoring --containers | grep prometheus",
        ),
        fix=(
            _DROP,
            "Stop what makes the series: a pipeline that restarts its pods, an exporter with new fields.",
            "Raise the memory, then headSeriesPerCluster, if the fleet has grown as it should.",
        ),
        incidents=(_level(numbers, _HEAD, heads, "the head passes its limit"),),
    )


def _head_soon(numbers: Numbers, heads: Bounds) -> Draft:
    """A new head is no trend, nor one that is gone: it counts where there is one, and was one six hours ago."""

    def trend(matcher: str) -> str:
        return f"predict_linear({_own(numbers, _HEAD, matcher)}[6h], 86400)"

    own = _own(numbers, _HEAD)
    return Draft(
        name="PrometheusHeadSeriesPassBudgetSoon",
        expr=f"(\n{over(trend, heads)}\n)\nand {own} offset 6h > 0\nand {own} > 0",
        wait=60,
        summary="{{ $labels.instance }} will hold {{ $value | humanize }} series tomorrow, more than the budget",
        description=f"By its trend of six hours the head passes within a day what it may have: {sums(heads)}.",
        impact=f"None yet. Tomorrow: {_NO_MEMORY}",
        diagnose=(_AUDIT, _NEW, _STATUS),
        fix=("Stop what makes the series, or drop the label that tells them apart.",),
        incidents=(lambda wait: _leak(numbers, heads, wait),),
    )


def _leak(numbers: Numbers, heads: Bounds, wait: int) -> Iterator[dict[str, object]]:
    """A head that grows by its half in a day, sampled every five minutes."""
    cluster, limit = next(iter(heads.items()))
    calm, step = math.floor(limit.value * 0.6), math.ceil(limit.value / 400)
    hours = 9 + wait // 60
    count = hours * 12
    values = {
        "over": f"{calm}+{step}x{count}",
        "gone": f"{calm}+{step}x{count - 10} stale",
        "under": f"{calm}x{count}",
        "restarted": f"{calm}x60 {calm // 10} {calm}x{count - 62}",
        "new": f"_x{count - 24} 0+{calm // 3}x3 {calm}x20",
    }
    subjects = {
        role: {**labels, names.CLUSTER: cluster, "job": numbers.prometheus}
        for role, labels in instances(*values).items()
    }
    before = str(duration((hours - 1) * 3600))
    yield {
        "name": "a label leaks into the scrape; other heads are steady, end, start again or are new",
        "interval": "5m",
        "series": {series.text(_HEAD, subjects[role]): text for role, text in values.items()},
        "fires": [
            *(
                {"at": before, "labels": {"instance": f"prometheus-{role}"}}
                for role in ("over", "gone")
            ),
            {"at": f"{hours}h", "labels": {"instance": "prometheus-over"}},
        ],
        "quiet": [{"at": "5h55m"}],
    }


def _churn(numbers: Numbers) -> Draft:
    metric = "prometheus_tsdb_head_series_created_total"
    bounds = {each.name: numbers.churn(each) for each in numbers.account.clusters}
    return Draft(
        name="PrometheusSeriesChurnOverBudget",
        expr=over(lambda matcher: f"rate({_own(numbers, metric, matcher)}[30m])", bounds),
        wait=60,  # longer than what a restart or a new version of an exporter leaves in the window
        summary="{{ $labels.instance }} makes {{ $value | humanize }} new series a second, more than the specs say",
        description=f"New series a second: {sums(bounds)}. Each stays in the head for up to three hours.",
        impact=f"The head fills with series that ended. {_NO_MEMORY}",
        diagnose=(
            _NEW,
            "See which pods restart: kubectl get pods -A --sort-by=.status.startTime | tail -20",
            _AUDIT,
        ),
        fix=(
            "Stop the restarts.",
            "Take the pod's labels off the raw series, and keep them in rollups.",
            "Say in podLifetime of the cluster's workloads how long pods live, if they live shorter than the specs say.",
        ),
        incidents=tuple(
            _rate(
                numbers,
                metric,
                {cluster: bound},
                f"pods of {cluster} restart every minute",
                window=30,
            )
            for cluster, bound in bounds.items()
        ),
    )


def _appended(numbers: Numbers) -> Draft:
    metric = "prometheus_tsdb_head_samples_appended_total"
    bounds = numbers.stated(
        numbers.limits.samples_per_second_per_cluster,
        "samplesPerSecondPerCluster",
        lambda each: each.appended_per_second,
    )

    def appended(matcher: str) -> str:
        return f"sum without (type) (rate({_own(numbers, metric, matcher)}[15m]))"

    return Draft(
        name="PrometheusSamplesOverBudget",
        expr=over(appended, bounds),
        wait=30,
        summary="{{ $labels.instance }} appends {{ $value | humanize }} samples a second, more than the budget",
        description=f"Samples a second in each Prometheus: {sums(bounds)}.",
        impact="Disk and object storage fill faster than their retention was planned for.",
        diagnose=(
            _AUDIT,
            "Find the job that brings them: topk(5, sum by (job) (scrape_samples_post_metric_relabeling))",
            "Compare scrape intervals with scrapeInterval of the Fleet: curl -s localhost:9090/api/v1/status/config",
        ),
        fix=(
            "Take away what nobody reads: gpuobs budget lists it.",
            "Put the scrape interval back to the generated one.",
        ),
        incidents=(
            _rate(
                numbers,
                metric,
                bounds,
                "an exporter gets a shorter interval",
                window=15,
                type="float",
            ),
        ),
    )


# Scrapes -------------------------------------------------------------------------------------------------------------


def _near_sample_limit(numbers: Numbers) -> Iterator[Draft]:
    """What is compared is what Prometheus compares: samples after relabelling, whose count a refused scrape has too."""
    found = _sample_bounds(numbers)
    if found:
        yield Draft(
            name="PrometheusScrapeSamplesNearLimit",
            expr="\nor\n".join(over(partial(_most, job), bounds) for job, bounds in found.items()),
            wait=15,
            summary="A target of {{ $labels.job }} in {{ $labels.cluster }} writes {{ $value | humanize }} samples, close to its limit",
            description="Half of the room between what a target can write by the specs and its sample limit is used. "
            + "; ".join(f"{job}: {sums(bounds)}" for job, bounds in found.items())
            + ". Beyond it the whole scrape is refused.",
            impact="None yet. At the limit the target goes dark, and its alerts with it.",
            diagnose=(
                f"Find the target: topk(3, {_SAMPLES})",
                "See which metric or label is new on it: gpuobs budget audit --url http://localhost:9090",
                "On NVIDIA see whether the node was cut by MIG: nvidia-smi -L",
            ),
            fix=(
                "Put the exporter's fields back to the generated list.",
                "Say in the specs what is there now, such as MIG, and build: the limit follows.",
            ),
            incidents=(*_cut_nodes(*next(iter(found.items()))), *_each_limit(found)),
        )


_SAMPLES = "scrape_samples_post_metric_relabeling"


def _most(job: str, matcher: str) -> str:
    return f'max by (cluster, job) ({_SAMPLES}{{job="{queries.quoted(job)}"{matcher}}})'


def _cut_nodes(job: str, bounds: Bounds) -> tuple[Incident, Incident]:
    """One alert for all targets of a job, so that what stays over and what ends stand in cases of their own."""
    cluster, bound = next(iter(bounds.items()))
    cut = ("over", "under", "restarted")
    return (
        _targets("a node is cut by MIG", job, cluster, bound, *cut),
        _targets("a node is cut by MIG, and then taken away", job, cluster, bound, "gone", "under"),
    )


def _each_limit(found: dict[str, dict[str, Bound]]) -> Iterator[Incident]:
    """Every other job in every other cluster: each has a number of its own."""
    for number, (job, bounds) in enumerate(found.items()):
        for cluster, bound in list(bounds.items())[0 if number else 1 :]:
            name = f"a target of {job} grows in {cluster}"
            yield _targets(name, job, cluster, bound, "over", "under")


def _targets(name: str, job: str, cluster: str, bound: Bound, *roles: str) -> Incident:
    """Targets of one job, beside one that writes next to nothing: the largest counts, and not the mean."""
    labels = {names.CLUSTER: cluster, "job": job}
    return Incident(
        name=name,
        metric=_SAMPLES,
        calm=queries.number(bound.value),
        bad=queries.number(bound.value + 1),
        subjects={role: {**labels, "instance": f"{role}:9400"} for role in roles},
        by=("cluster", "job"),
        beside={series.text(_SAMPLES, {**labels, "instance": "small:9400"}): "1x60"},
    )


def _sample_bounds(numbers: Numbers) -> dict[str, dict[str, Bound]]:
    """Bounds by job and cluster, of exporters that have targets there."""
    found: dict[str, dict[str, Bound]] = {}
    for account in numbers.account.clusters:
        for group in account.targets:
            bound = numbers.samples(account, group.exporter) if group.count else None
            if bound is not None:
                found.setdefault(group.exporter.spec.job, {})[account.name] = bound
    return found


def _sample_limit_hit(numbers: Numbers) -> Draft:
    metric = "prometheus_target_scrapes_exceeded_sample_limit_total"
    return Draft(
        name="PrometheusScrapeSampleLimitHit",
        expr=f"increase({_own(numbers, metric)}[5m]) > 0",
        wait=10,
        urgent=True,
        summary="{{ $labels.instance }} refuses scrapes that have more samples than their limit",
        description="A scrape over its limit is refused as a whole: the target is down, and what is on it is not watched. "
        "scrape_samples_post_metric_relabeling still has the number of samples.",
        impact="GPUs of the affected nodes are not watched.",
        diagnose=(
            "Find the targets: curl -s localhost:9090/api/v1/targets | jq -r '.data.activeTargets[] | "
            'select(.lastError | test("sample limit")) | .scrapeUrl\'',
            "See how many samples they have: topk(5, scrape_samples_post_metric_relabeling)",
        ),
        fix=(
            "Put the exporter's fields back to the generated list.",
            "Say in the specs what is there now, such as MIG, and build: the limit follows.",
        ),
        incidents=(_event(numbers, metric, "a node's exporter has more fields", 5),),
    )


def _label_limit_hit(numbers: Numbers) -> Draft:
    metric = "prometheus_target_scrape_pool_exceeded_label_limits_total"
    return Draft(
        name="PrometheusScrapeLabelLimitHit",
        expr=f"increase({_own(numbers, metric)}[5m]) > 0",
        wait=10,
        urgent=True,
        summary="{{ $labels.instance }} refuses scrapes whose series have too many or too long labels",
        description="A scrape with one such series is refused as a whole.",
        impact="GPUs of the affected nodes are not watched.",
        diagnose=(
            "Find the targets: curl -s localhost:9090/api/v1/targets | jq -r '.data.activeTargets[] | "
            'select(.lastError | test("label")) | [.scrapeUrl, .lastError] | @tsv\'',
        ),
        fix=(
            "Drop the label in metricRelabelings.",
            "Give it to the exporter's catalog if it belongs there, and build: the limit follows.",
        ),
        incidents=(_event(numbers, metric, "pod labels are switched on", 5),),
    )


def _event(numbers: Numbers, metric: str, name: str, window: int) -> Incident:
    """A counter that stands, and then grows."""
    subjects = {
        role: {**labels, "job": numbers.prometheus} for role, labels in instances(*FOUR).items()
    }
    return Incident(
        name=name,
        metric=metric,
        calm="0",
        bad="4",
        subjects=subjects,
        counter=True,
        window=window,
    )
