"""What the checks of `collect` share: its entries that name one metric."""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.exporters import ExporterInUse
from gpuobs.ir import Program
from gpuobs.spec.model import Metric


def singles(program: Program) -> Iterator[tuple[ExporterInUse, int, str, Metric]]:
    """Entries of the project's exporters that are a metric's name, each with its index and its metric."""
    if program.policy is None or program.foreign:
        return
    for exporter in program.policy.exporters:
        metrics = {
            str(name): metric
            for metric in exporter.catalog.metrics
            for name in (metric.name, *metric.aliases)
        }
        for index, entry in enumerate(exporter.spec.collect):
            if entry in metrics:
                yield exporter, index, entry, metrics[entry]
