"""The report as an object for programs: keys are stable, numbers exact, and docs/budget.md says what they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gpuobs.budget.figures import Figure
from gpuobs.budget.limits import Use
from gpuobs.budget.report import ClusterReport, Report


def tree(report: Report) -> dict[str, Any]:
    """The whole report."""
    return {
        "fleet": report.fleet,
        "exceeded": report.exceeded,
        "clusters": {cluster.name: _cluster(cluster) for cluster in report.clusters},
        "ruler": {"writes": report.ruler_writes, "reads": report.ruler_reads},
        "oneMore": [
            {
                "change": each.name,
                "active": each.active,
                "head": each.head,
                "appendedPerSecond": rounded(each.per_second),
                "sentPerSecond": rounded(each.sent_per_second),
                "memory": rounded(each.memory),
            }
            for each in report.one_more
        ],
        "unused": [
            {
                "metric": each.name,
                "series": each.series,
                "samplesPerSecond": rounded(each.per_second),
                "memory": rounded(each.memory),
            }
            for each in report.unused
        ],
        "notCounted": _not_counted(report),
        "assumptions": list(report.assumptions),
        "factors": [
            {"value": rounded(r.value), "unit": r.unit, "what": r.what, "source": r.source}
            for r in report.rates
        ],
    }


def _not_counted(report: Report) -> dict[str, Any]:
    unknown = report.unknown
    return {
        "labels": [{"metric": metric, "label": label} for metric, label in unknown.labels],
        "rules": list(unknown.rules),
        "onEvent": [{"metric": name, "atMost": most} for name, most in unknown.waiting],
    }


def _cluster(cluster: ClusterReport) -> dict[str, Any]:
    return {
        "limits": [use(each) for each in cluster.uses],
        "totals": _figures(cluster.figures),
        "allReplicas": _figures(cluster.placement),
        "things": [
            {
                "pool": each.pool,
                "gpu": each.model,
                "nodes": each.nodes,
                "gpus": each.gpus,
                "migInstances": each.gpus * each.instances,
                "pods": each.pods,
            }
            for each in cluster.things
        ],
        **_tables(cluster),
    }


def _tables(cluster: ClusterReport) -> dict[str, Any]:
    return {
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
        "records": [
            {"level": e.level, "sum": e.sum, "series": e.series, "rules": list(e.rules)}
            for e in cluster.written
        ],
        "series": {
            "byMetric": dict(cluster.by_metric),
            "byPool": dict(cluster.by_pool),
            "byLevel": dict(cluster.by_level),
            "byRule": dict(cluster.by_rule),
        },
        "reads": {"byGroup": dict(cluster.by_group), "byRule": dict(cluster.by_reader)},
        "labels": [
            {
                "exporter": each.exporter,
                "label": each.label,
                "role": each.role,
                "things": each.things,
                "times": each.times,
                "series": each.series,
                "adds": each.adds,
                "ended": each.ended,
            }
            for each in cluster.labels
        ],
    }


def _figures(found: Iterable[Figure]) -> dict[str, Any]:
    return {
        each.key: {"value": rounded(each.value), "unit": each.unit, "sum": each.sum}
        for each in found
    }


def use(found: Use) -> dict[str, Any]:
    """One limit."""
    return {
        "limit": found.limit,
        "value": rounded(found.value),
        "bound": rounded(found.bound),
        "atLeast": found.at_least,
        "share": rounded(found.share),
        "warnsFrom": rounded(found.free),
        "exceeded": found.exceeded,
        "withinHeadroom": found.within_headroom,
        "sum": found.arithmetic,
    }


def rounded(value: float) -> int | float:
    """A number without the noise of floating point."""
    found = round(value, 6)
    return int(found) if found == int(found) else found
