"""Who reads a metric: signals, the rollups that read it or these signals, and all alerts behind them."""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.exporters import series_of
from gpuobs.graph import Node, graph
from gpuobs.ir import Program
from gpuobs.spec.model import Metric


def readers(program: Program, name: str, metric: Metric) -> Iterator[tuple[str, list[str]]]:
    """Kind of reader to their names; 'read by: nobody' where no rule reads it."""
    whole = graph(program)
    series = {Node("metric", written) for written, _ in series_of(name, metric)}
    found = series & set(whole.nodes)
    below = whole.below(found)
    signals = {node for node in below if node.kind == "signal"}
    direct = {user for node in found | signals for user in whole.users[node]}
    rollups = _names("rollup", direct)
    alerts = _names("alert", below)
    yield "signals", _names("signal", signals)
    yield "rollups", rollups
    yield "alerts", alerts
    if not rollups and not alerts:
        yield "read by", ["nobody"]


def _names(kind: str, nodes: set[Node] | frozenset[Node]) -> list[str]:
    return sorted(node.name for node in nodes if node.kind == kind)
