"""Program to bytes, one module a format. Each has a NAME and `render(program)`."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from gpuobs.ir import Artifact, Program
from gpuobs.targets import (
    alertmanager,
    alertmanager_config,
    budget_report,
    exporter_fields,
    prometheus_operator,
    prometheus_rules,
    runbooks,
    scrape_configs,
    service_monitors,
    store_limits,
    unit_tests,
)

TARGETS: tuple[ModuleType, ...] = (
    prometheus_rules,
    prometheus_operator,
    unit_tests,
    alertmanager,
    alertmanager_config,
    exporter_fields,
    scrape_configs,
    service_monitors,
    store_limits,
    budget_report,
    runbooks,
)


def names() -> tuple[str, ...]:
    return tuple(target.NAME for target in TARGETS)


def render(program: Program, wanted: tuple[str, ...] = ()) -> Iterator[Artifact]:
    """The artifacts of the wanted targets, all of them by default."""
    for target in TARGETS:
        if not wanted or target.NAME in wanted:
            yield from target.render(program)
