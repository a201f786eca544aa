"""The report as an object for programs: keys are stable, numbers exact, and docs/budget.md says what they are."""

from __future__ import annotations

from typing import Any

from gpuobs.budget.limits import Use
from gpuobs.budget.report import ClusterReport, Report


def tree(report: Report) -> dict[str, Any]:
    """The whole report."""
    return {
        "fleet": report.fleet,
        "exceeded": any(use.exceeded for cluster in report.clusters for use in cluster.uses),
        "clusters": {cluster.name: _cluster(cluster) for cluster in report.clusters},
        "seriesOfRuler": report.of_ruler,
        "oneMore": [
            {
                "change": each.name,
                "active": each.active,
                "head": each.head,
                "appendedPerSecond": _rounded(each.per_second),
                "sentPerSecond": _rounded(each.sent_per_second),
            }
            for each in report.one_more
        ],
        "unused": [
            {
                "metric": each.name,
                "series": each.series,
                "samplesPerSecond": _rounded(each.per_second),
            }
            for each in report.unused
        ],
        "unbounded": [{"metric": metric, "label": label} for metric, label in report.unbounded],
        "assumptions": list(report.assumptions),
        "factors": [
            {"value": _rounded(r.value), "unit": r.unit, "what": r.what, "source": r.source}
            for r in report.rates
        ],
    }


def _cluster(cluster: ClusterReport) -> dict[str, Any]:
    return {
        "limits": [_use(use) for use in cluster.uses],
        "totals": {
            each.key: {"value": _rounded(each.value), "unit": each.unit, "sum": each.sum}
            for each in cluster.figures
        },
        "products": [
            {
                "pool": each.pool,
                "exporter": each.exporter,
                "factors": [{"count": f.count, "what": f.what} for f in each.factors],
                "metrics": list(each.metrics),
                "series": each.series,
            }
            for each in cluster.products
        ],
        "series": {
            "byMetric": dict(cluster.by_metric),
            "byPool": dict(cluster.by_pool),
            "byLevel": dict(cluster.by_level),
            "byRule": dict(cluster.by_rule),
        },
        "readByGroup": dict(cluster.by_group),
        "labels": [
            {"exporter": e.exporter, "label": e.label, "times": e.times, "series": e.series}
            for e in cluster.by_label
        ],
    }


def _use(use: Use) -> dict[str, Any]:
    return {
        "limit": use.limit,
        "value": _rounded(use.value),
        "bound": _rounded(use.bound),
        "atLeast": use.at_least,
        "exceeded": use.exceeded,
        "withinHeadroom": use.within_headroom,
        "sum": use.arithmetic,
    }


def _rounded(value: float) -> int | float:
    """A number without the noise of floating point."""
    found = round(value, 6)
    return int(found) if found == int(found) else found
