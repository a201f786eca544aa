"""Alerts on the budget itself: an Alerts document that the Budget's numbers write, in the language that authors write.

It is read, lowered, tested and checked as any other document. An alert whose metrics the fleet does not collect, or
whose limit the Budget does not state, is left out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from gpuobs import names, promql
from gpuobs.budget import census, storage
from gpuobs.exporters import ExporterInUse
from gpuobs.policy import Policy
from gpuobs.spec.document import read
from gpuobs.spec.model import Alerts
from gpuobs.spec.shape import shape

NAME = "budget"
_FILE = f"<generated>/{NAME}.yaml"


def document(policy: Policy) -> Alerts | None:
    """The Alerts document of a policy's Budget, or None where it asks for none."""
    budget = policy.budget
    if budget is None or budget.alerts is None:
        return None
    alerts = [dict(alert, tier=str(budget.alerts.tier)) for alert in _alerts(policy)]
    if not alerts:
        return None
    text = {
        "apiVersion": names.API_VERSION,
        "kind": "Alerts",
        "name": NAME,
        "description": f"What runs is not as Budget '{budget.name}' says.",
        "owner": str(budget.alerts.owner),
        "alerts": alerts,
    }
    node, problems = read(_FILE, json.dumps(text).encode())
    assert node is not None, problems
    spec, problems = shape(node)
    assert isinstance(spec, Alerts), problems
    return spec


def _alerts(policy: Policy) -> Iterator[dict[str, Any]]:
    for make in (*_OF_LIMITS, *_OF_SURPRISES, *_OF_STORES):
        for alert in make(_Numbers(policy)):
            parsed = promql.parse(alert["expr"])
            assert isinstance(parsed, promql.Parsed), alert["expr"]
            recorded = (names.INVENTORY_GPUS,)
            read_names = {selector.name for selector in parsed.selectors}
            if all(name in policy.collected or name in recorded for name in read_names):
                yield alert


@dataclass(frozen=True)
class _Numbers:
    """What the alerts compare with."""

    policy: Policy

    @property
    def head(self) -> int | None:
        return self.policy.budget.limits.head_series_per_cluster if self.policy.budget else None

    @property
    def active(self) -> int | None:
        return self.policy.budget.limits.active_series_per_cluster if self.policy.budget else None

    @property
    def samples(self) -> float | None:
        limits = self.policy.budget.limits if self.policy.budget else None
        return limits.samples_per_second_per_cluster if limits else None

    @property
    def headroom(self) -> float:
        return self.policy.budget.limits.headroom if self.policy.budget else 0.2

    @property
    def prometheus(self) -> str:
        """The job of Prometheus' own metrics."""
        found = (e for e in self.policy.exporters if e.catalog.name == "prometheus")
        return next((e.spec.job for e in found), "prometheus")


def _alert(
    name: str,
    expr: str,
    wait: str,
    summary: str,
    description: str,
    runbook: tuple[str, list[str], list[str]],
    scenario: dict[str, Any],
) -> dict[str, Any]:
    impact, diagnose, fix = runbook
    return {
        "name": name,
        "expr": expr,
        "for": wait,
        "summary": summary,
        "description": description,
        "runbook": {"impact": impact, "diagnose": diagnose, "fix": fix},
        "scenarios": [scenario],
    }


_AUDIT = "Compare what is there with the specs, the worst first: gpuobs budget audit --url http://localhost:9090"
_STATUS = (
    "See which metrics have most series: curl -s localhost:9090/api/v1/status/tsdb | head -c 2000"
)
_LOST = "Prometheus needs more memory than it was given, and in the end is killed for it: no alert fires then."


def _series(metric: str, values: str, **labels: str) -> dict[str, str]:
    shown = ", ".join(f'{label}="{value}"' for label, value in labels.items())
    return {f"{metric}{{{shown}}}": values}


# Limits --------------------------------------------------------------------------------------------------------------


def _head_near(numbers: _Numbers) -> Iterator[dict[str, Any]]:
    limit = numbers.head
    if limit is None:
        return
    bound = math.floor(limit * (1 - numbers.headroom))
    metric = "prometheus_tsdb_head_series"
    yield _alert(
        "PrometheusHeadSeriesNearBudget",
        f'{metric}{{job="{numbers.prometheus}"}} > {bound}',
        "30m",
        "{{ $labels.instance }} holds {{ $value | humanize }} series, more than the budget's headroom allows",
        f"The Budget allows {limit:,} series in the head of each Prometheus, of which {numbers.headroom:.0%} stay free.",
        (
            _LOST,
            [
                _STATUS,
                _AUDIT,
                "See whether pods come and go faster than the specs say: churn is part of the head.",
            ],
            [
                "Drop the label or the metric that grew, in metricRelabelings of the exporter.",
                "Raise headSeriesPerCluster, and the memory, if the fleet has grown as it should.",
            ],
        ),
        {
            "name": "the head grows past its headroom; another Prometheus stays below",
            "series": {
                **_series(metric, f"{bound - 1}x10 {bound + 1}x60", instance="prometheus-0"),
                **_series(metric, f"{bound - 1}x70", instance="prometheus-1"),
            },
            "fires": [{"at": "45m", "labels": {"instance": "prometheus-0"}}],
            "quiet": [{"at": "10m"}, {"at": "38m"}],
        },
    )


def _head_soon(numbers: _Numbers) -> Iterator[dict[str, Any]]:
    limit = numbers.head
    if limit is None:
        return
    metric, half = "prometheus_tsdb_head_series", limit // 2
    selector = f'{metric}{{job="{numbers.prometheus}"}}'
    step = max(1, limit // 200)
    yield _alert(
        "PrometheusHeadSeriesPassBudgetSoon",
        f"predict_linear({selector}[6h], 86400) > {limit} and {selector} > {half}",
        "1h",
        "{{ $labels.instance }} will hold {{ $value | humanize }} series tomorrow, more than the budget",
        f"By its trend of six hours the head passes the Budget's {limit:,} series within a day.",
        (
            _LOST,
            [
                _AUDIT,
                "See what is new: a GPU model, a label, a pipeline that restarts its pods every minute.",
            ],
            ["Stop what makes the series, or drop the label that tells them apart."],
        ),
        {
            "name": "a label leaks into the scrape; another Prometheus is steady",
            "interval": "5m",
            "series": {
                **_series(metric, f"{half}+{step}x100", instance="prometheus-0"),
                **_series(metric, f"{half + 1}x100", instance="prometheus-1"),
            },
            "fires": [{"at": "8h", "labels": {"instance": "prometheus-0"}}],
            "quiet": [{"at": "10m"}],
        },
    )


def _churn(numbers: _Numbers) -> Iterator[dict[str, Any]]:
    head, active = numbers.head, numbers.active
    if head is None or active is None or head <= active:
        return
    metric, hours = "prometheus_tsdb_head_series_created_total", storage.HEAD_HOURS.value
    bound = round((head - active) / storage.HEAD_SECONDS, 3)
    # Per minute, which is the scenario's interval.
    few, many = math.floor(bound * 30), math.ceil(bound * 120)
    yield _alert(
        "PrometheusSeriesChurnOverBudget",
        f'rate({metric}{{job="{numbers.prometheus}"}}[1h]) > {bound}',
        "30m",
        "{{ $labels.instance }} makes {{ $value | humanize }} new series a second, more than the budget has room for",
        f"Between {active:,} active series and {head:,} in the head there is room for {bound:,} new ones a second, "
        f"which stay for {hours:g} hours.",
        (
            _LOST,
            [
                "See which target brings them: topk(5, sum by (job) (sum_over_time(scrape_series_added[1h])))",
                "See which pods restart: kubectl get pods -A --sort-by=.status.startTime | tail -20",
            ],
            [
                "Stop the restarts.",
                "Take the pod's labels off the raw series, and keep them in rollups.",
            ],
        ),
        {
            "name": "pods restart every minute; elsewhere they do as the specs say",
            "series": {
                **_series(metric, f"0+{few}x60 {few * 61}+{many}x120", instance="prometheus-0"),
                **_series(metric, f"0+{few}x180", instance="prometheus-1"),
            },
            "fires": [{"at": "170m", "labels": {"instance": "prometheus-0"}}],
            "quiet": [{"at": "60m"}],
        },
    )


def _appended(numbers: _Numbers) -> Iterator[dict[str, Any]]:
    limit = numbers.samples
    if limit is None:
        return
    metric = "prometheus_tsdb_head_samples_appended_total"
    few, many = math.floor(limit * 30), math.ceil(limit * 90)
    yield _alert(
        "PrometheusSamplesOverBudget",
        f'sum without (type) (rate({metric}{{job="{numbers.prometheus}"}}[15m])) > {limit:.15g}',
        "30m",
        "{{ $labels.instance }} appends {{ $value | humanize }} samples a second, more than the budget",
        f"The Budget allows {limit:,.15g} samples a second in each Prometheus.",
        (
            "Disk and object storage fill faster than retention was planned for.",
            [
                _AUDIT,
                "See which job brings them: topk(5, sum by (job) (scrape_samples_post_metric_relabeling))",
            ],
            [
                "Take away what nobody reads: gpuobs budget lists it.",
                "Lengthen the scrape interval of what is rarely read.",
            ],
        ),
        {
            "name": "an exporter gets a shorter interval; another Prometheus stays as it was",
            "series": {
                **_series(
                    metric,
                    f"0+{few}x30 {few * 31}+{many}x60",
                    instance="prometheus-0",
                    type="float",
                ),
                **_series(metric, f"0+{few}x90", instance="prometheus-1", type="float"),
            },
            "fires": [{"at": "80m", "labels": {"instance": "prometheus-0"}}],
            "quiet": [{"at": "30m"}],
        },
    )


# What the specs do not know ------------------------------------------------------------------------------------------


def _samples(numbers: _Numbers) -> Iterator[dict[str, Any]]:
    for exporter in numbers.policy.exporters:
        most = _most_samples(numbers.policy, exporter)
        if not exporter.catalog.vendor or not most:
            continue
        job = exporter.spec.job
        yield _alert(
            f"{_vendor(exporter)}GpuExporterSamplesOverBudget",
            f'max by (cluster, job) (scrape_samples_scraped{{job="{job}"}}) > {most}',
            "15m",
            f"A target of {job} in {{{{ $labels.cluster }}}} writes {{{{ $value | humanize }}}} samples, more than can be by the specs",
            f"By the specs a target of {job} writes at most {most:,} samples. A scrape that passes its sample_limit is "
            "refused as a whole: the node's GPUs go dark, and scrape_samples_scraped still shows the full number.",
            (
                "None yet. At the sample limit all alerts of the node's GPUs go silent.",
                [
                    f'Find the target: topk(3, scrape_samples_scraped{{job="{job}"}})',
                    "See which metric is new on it: gpuobs budget audit --url http://localhost:9090",
                ],
                [
                    "Put the exporter's fields back to the generated list.",
                    "Say in the specs what is there now, such as MIG.",
                ],
            ),
            {
                "name": "a node is cut by MIG; another is as the specs say",
                "series": {
                    **_series(
                        "scrape_samples_scraped",
                        f"{most}x10 {most + 1}x40",
                        job=job,
                        instance="10.0.0.1:9400",
                    ),
                    **_series(
                        "scrape_samples_scraped", f"{most}x50", job=job, instance="10.0.0.2:9400"
                    ),
                },
                "fires": [{"at": "30m", "labels": {"job": job}}],
                "quiet": [{"at": "10m"}, {"at": "24m"}],
            },
        )


def _most_samples(policy: Policy, exporter: ExporterInUse) -> int:
    """Samples that one target writes at most; what nobody bounds counts as one value."""
    most = 0
    for group in census.targets(policy):
        if group.exporter is exporter and group.count:
            lines = (
                line
                for line in census.lines(policy)
                if line.exporter is exporter
                and (line.cluster, line.pool) == (group.cluster, group.pool)
            )
            total = sum(math.prod(factor.count for factor in line.factors) for line in lines)
            most = max(most, math.ceil(total / group.count))
    return most


def _vendor(exporter: ExporterInUse) -> str:
    return {"nvidia": "Nvidia", "amd": "Amd", "intel": "Intel"}.get(exporter.catalog.vendor, "")


def _label_limits(numbers: _Numbers) -> Iterator[dict[str, Any]]:
    metric = "prometheus_target_scrape_pool_exceeded_label_limits_total"
    yield _alert(
        "PrometheusScrapeLabelLimitHit",
        f'increase({metric}{{job="{numbers.prometheus}"}}[15m]) > 0',
        "0s",
        "{{ $labels.instance }} refuses scrapes whose series have too many or too long labels",
        "A scrape with one such series is refused as a whole.",
        (
            "All metrics of the target are missing.",
            ["Find the target: http://localhost:9090/targets shows the error beside it."],
            ["Drop the label in metricRelabelings, or raise labelLimit if it belongs there."],
        ),
        {
            "name": "pod labels are switched on",
            "series": _series(metric, "0x10 1x20", instance="prometheus-0"),
            "fires": [{"at": "15m", "labels": {"instance": "prometheus-0"}}],
            "quiet": [{"at": "10m"}, {"at": "28m"}],
        },
    )


def _models(numbers: _Numbers) -> Iterator[dict[str, Any]]:
    policy = numbers.policy
    for exporter in policy.exporters:
        vendor = exporter.catalog.vendor
        models = [model for _, _, model in policy.pools if model.vendor == vendor]
        metric, label = _sample_metric(policy, exporter), exporter.label(names.MODEL)
        if (
            not vendor
            or not models
            or not metric
            or not label
            or not all(m.model_label for m in models)
        ):
            continue
        known = models[0].model_label
        pool = next(pool for _, pool, model in policy.pools if model is models[0])
        cluster = next(c for c, p, _ in policy.pools if p is pool)
        at = {"cluster": str(cluster.name), "pool": str(pool.name)}
        yield _alert(
            f"{_vendor(exporter)}GpuModelUnknown",
            f'group by (cluster, model) (label_replace({metric}, "model", "$1", "{label}", "(.+)")) '
            f"unless on (cluster, model) {names.INVENTORY_GPUS}",
            "15m",
            "{{ $labels.cluster }} has GPUs of model {{ $labels.model }}, which no pool of the specs has",
            "A model that the specs do not know has other metrics, labels and thresholds: nothing here was computed for it.",
            (
                "Its alerts take default thresholds, and the budget does not count it.",
                [f"Find the nodes: count by (node, {label}) ({metric})"],
                ["Add a pool for these nodes to the Fleet, and build."],
            ),
            {
                "name": "nodes of a new model join the cluster",
                "series": {
                    **_series(metric, "1x40", **{label: "NEW-MODEL", "gpu": "0"}, **at),
                    **_series(metric, "1x40", **{label: known, "gpu": "1"}, **at),
                },
                "fires": [{"at": "30m", "labels": {"model": "NEW-MODEL"}}],
                "quiet": [{"at": "10m"}],
            },
        )


def _sample_metric(policy: Policy, exporter: ExporterInUse) -> str:
    """A metric of every GPU, healthy or not."""
    found = (
        name
        for name, collected in policy.collected.items()
        if collected.exporter is exporter
        and collected.metric.per == "gpu"
        and collected.metric.kind == "gauge"
        and not (
            collected.metric.labels or collected.metric.unsupported or collected.metric.on_event
        )
    )
    return next(found, "")


# Stores --------------------------------------------------------------------------------------------------------------


def _discarded(numbers: _Numbers) -> Iterator[dict[str, Any]]:
    storage_ = numbers.policy.fleet.storage
    store = storage_.long_term if storage_ else None
    if store is None or store.kind != "mimir" or not store.tenant:
        return
    metric = "cortex_discarded_samples_total"
    at = {"user": store.tenant, "reason": "per_user_series_limit"}
    yield _alert(
        "MimirDiscardsSamples",
        f'sum by (cluster, user, reason) (increase({metric}{{user="{store.tenant}"}}[15m])) > 0',
        "15m",
        "Mimir discards samples of tenant {{ $labels.user }}: {{ $labels.reason }}",
        "At a limit of series only new ones are refused: what was there goes on, and each pod that starts is missing.",
        (
            "GPUs of new pods, or all samples beyond the rate, are missing in the long-term store.",
            ["Compare with the limits: generated/mimir/limits.yaml has the sum of each."],
            [
                "Send less: levels and raw of the Fleet's longTerm.",
                "Load the generated limits, if older ones are in force.",
            ],
        ),
        {
            "name": "the tenant is full",
            "series": _series(metric, "0x10 0+10x60", **at),
            "fires": [{"at": "40m", "labels": {"reason": "per_user_series_limit"}}],
            "quiet": [{"at": "10m"}],
        },
    )


_Make = Callable[[_Numbers], Iterator[dict[str, Any]]]
_OF_LIMITS: tuple[_Make, ...] = (_head_near, _head_soon, _churn, _appended)
_OF_SURPRISES: tuple[_Make, ...] = (_samples, _label_limits, _models)
_OF_STORES: tuple[_Make, ...] = (_discarded,)
