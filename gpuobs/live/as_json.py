"""An audit as an object for programs."""

from __future__ import annotations

from typing import Any

from gpuobs.live.audit import Audit, LabelFound, MetricFound


def tree(audit: Audit) -> dict[str, Any]:
    """The audit with every metric; `predicted` is null where the specs do not know one, `atMost` where nothing bounds it."""
    observed = audit.observed
    return {
        "server": observed.server,
        "cluster": audit.cluster,
        "clean": audit.is_clean,
        "headSeries": observed.head_total,
        "metrics": [_metric(each) for each in audit.metrics],
        "worst": [each.name for each in audit.worst],
        "unknown": [each.name for each in audit.unknown],
        "missing": list(audit.missing),
        "labels": [_label(each) for each in audit.labels],
        "unasked": list(observed.unasked),
        "refused": dict(sorted(observed.refused.items())),
    }


def _metric(found: MetricFound) -> dict[str, Any]:
    return {
        "name": found.name,
        "predicted": found.predicted.steady if found.predicted else None,
        "atMost": found.predicted.at_most if found.predicted else None,
        "active": found.active,
        "head": found.head,
        "excess": found.excess,
        "memoryBytes": found.memory,
        "samplesPerSecond": found.samples_per_second,
        "jobs": list(found.jobs),
    }


def _label(found: LabelFound) -> dict[str, Any]:
    return {
        "metric": found.seen.metric,
        "label": found.seen.label,
        "values": found.seen.count,
        "atMost": found.most,
        "unknown": found.unknown,
        "unexpected": list(found.unexpected),
    }
