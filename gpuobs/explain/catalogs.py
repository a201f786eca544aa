"""The page of a metric catalog: its exporter's versions, and the groups that a fleet can collect."""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import catalog
from gpuobs.explain.layout import hanging, row
from gpuobs.spec.model import MetricCatalog

_SHOWN = 3


def index() -> Iterator[str]:
    """Every built-in catalog with the groups that `collect` of an exporter may name."""
    names = catalog.metric_catalog_names()
    width = max(map(len, names))
    for found in filter(None, map(catalog.metric_catalog, names)):
        yield from hanging(f"{found.name:<{width}}  ", ", ".join(_groups(found)))


def page(found: MetricCatalog) -> str:
    """What a catalog says of its exporter as a whole."""
    return "\n".join(_page(found))


def _page(found: MetricCatalog) -> Iterator[str]:
    yield f"{found.name}: metric catalog, {len(found.metrics)} metrics"
    yield from hanging("  ", found.description)
    yield ""
    yield from row("vendor", found.vendor)
    yield from row("versions", ", ".join(found.versions))
    yield from row("identity", ", ".join(f"{k} is {v}" for k, v in found.identity.items()))
    yield from row("workload", ", ".join(found.workload_labels))
    word = "collect"
    for group, metrics in _groups(found).items():
        more = f" and {len(metrics) - _SHOWN} more" if len(metrics) > _SHOWN else ""
        yield from row(word, f"{group}: {', '.join(metrics[:_SHOWN])}{more}", indent=2)
        word = ""


def _groups(found: MetricCatalog) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for metric in found.metrics:
        for group in metric.groups:
            groups.setdefault(group, []).append(metric.name)
    return groups
