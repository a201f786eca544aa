"""Patterns of steps beside the names that there are: what is a name, what is only the beginning of some."""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.exporters import ExporterInUse, series_of
from gpuobs.ir import Program
from gpuobs.spec.model import Metric

_LEAST = 4


def beginnings(program: Program, name: str) -> bool:
    """Whether a text is no metric of any catalog and no record, while the names of some metrics begin with it."""
    assert program.policy is not None
    known = program.policy.known
    if len(name) < _LEAST or name in known or name in program.records:
        return False
    return any(each.startswith(name) for each in known)


def names_of(exporter: ExporterInUse) -> Iterator[tuple[str, Metric]]:
    """The series that an exporter can write, collected here or not, by name."""
    for metric in exporter.catalog.metrics:
        for name in (metric.name, *metric.aliases):
            yield from series_of(str(name), metric)
