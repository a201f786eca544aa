"""What is collected, recorded or declared for nobody, as far as rules and alerts tell."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gpuobs.exporters import EVERY_TARGET, ExporterInUse, series_of
from gpuobs.graph import BUILT_IN, RULES, Graph, Node
from gpuobs.graph.draw import data
from gpuobs.ir import Program

# Prometheus writes these itself, for every alert.
_OF_ALERTS = frozenset({"ALERTS", "ALERTS_FOR_STATE"})


@dataclass(frozen=True, slots=True)
class Collecting:
    """An exporter with the metrics that no rule needs, by the entry of `collect` that brings them.

    `collect` is what its `collect` would be without them.
    """

    exporter: ExporterInUse
    count: int
    unused: Mapping[str, tuple[str, ...]]
    collect: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Each metric once."""
        return tuple(dict.fromkeys(name for names in self.unused.values() for name in names))


@dataclass(frozen=True, slots=True)
class Unused:
    """The report: metrics by exporter, rollups that nothing reads, and own signals that nothing records."""

    exporters: tuple[Collecting, ...]
    rollups: tuple[Node, ...]
    signals: tuple[Node, ...]


def unused(graph: Graph, program: Program) -> Unused:
    """What of a program no rule and no alert uses. A metric that only a scenario feeds is used: it could not be missing."""
    needed = graph.above(node for node in graph.nodes if node.kind in RULES)
    names = frozenset(n.name for n in needed if n.kind == "metric").union(_in_scenarios(program))
    exporters = program.policy.exporters if program.policy is not None else ()
    return Unused(
        tuple(found for e in exporters if (found := _collecting(e, names)).unused),
        tuple(n for n in graph.nodes if n.kind == "rollup" and not graph.users[n]),
        tuple(n for n in graph.nodes if n.kind == "signal" and _own(n) and n not in needed),
    )


def _in_scenarios(program: Program) -> Iterator[str]:
    cases = (case for file in program.test_files for case in file.cases)
    return (each.series.partition("{")[0] for case in cases for each in case.series)


def _own(signal: Node) -> bool:
    return signal.home != BUILT_IN


def _collecting(exporter: ExporterInUse, needed: frozenset[str]) -> Collecting:
    """Metrics that come with every target cannot be left out, and a label is no series."""
    useless: set[str] = set()
    groups: dict[str, list[str]] = {}
    count = 0
    for name, metric in exporter.collected():
        series = {written for written, _ in series_of(name, metric)}
        leaves = series - _OF_ALERTS and EVERY_TARGET not in metric.groups
        count += bool(leaves)
        if leaves and needed.isdisjoint(series):
            useless.add(name)
        for entry in (name, *metric.groups):
            groups.setdefault(entry, []).append(str(name))
    brought = {entry: groups.get(entry, []) for entry in exporter.spec.collect}
    found = {entry: tuple(n for n in names if n in useless) for entry, names in brought.items()}
    kept = (
        name
        for entry, names in brought.items()
        for name in ([n for n in names if n not in useless] if found[entry] else [entry])
    )
    listed = {entry: names for entry, names in found.items() if names}
    return Collecting(exporter, count, listed, tuple(dict.fromkeys(kept)))


def as_json(report: Unused) -> str:
    """The report for other programs."""
    content = {
        "exporters": [_exporter(each) for each in report.exporters],
        "rollups": [data(node) for node in report.rollups],
        "signals": [data(node) for node in report.signals],
    }
    return json.dumps(content, indent=2, ensure_ascii=False)


def _exporter(each: Collecting) -> dict[str, Any]:
    span = each.exporter.spec.where("collect")
    return {
        "catalog": each.exporter.spec.catalog,
        "job": each.exporter.spec.job,
        "file": span.file,
        "line": span.line,
        "collected": each.count,
        "unused": {entry: list(names) for entry, names in each.unused.items()},
        "collect": list(each.collect),
    }


def as_text(report: Unused) -> str:
    """The report for a terminal."""
    parts = [*_metrics(report), *_nodes(report)]
    return "\n".join(parts or ["everything is used by a rule or an alert"])


def _metrics(report: Unused) -> Iterator[str]:
    for each in report.exporters:
        place = each.exporter.spec.where("collect")
        catalog = each.exporter.spec.catalog
        yield f"{catalog} ({place.file}:{place.line}): {len(each.names)} of {each.count} metrics feed no rule and no alert"
        for entry, names in each.unused.items():
            if names == (entry,):
                yield f"  {entry}"
            else:
                yield f"  {entry}: {len(names)}"
                yield from _wrapped(names, "    ")
        yield "  without them:"
        yield from _wrapped(each.collect, "    ", "collect: [", "]")
        yield ""
    if report.exporters:
        yield "'collect' says what an exporter is configured to write: change its own configuration too."
        yield "Dashboards and ad-hoc queries are not known here, and may use these."
        yield ""


def _wrapped(names: tuple[str, ...], indent: str, before: str = "", after: str = "") -> list[str]:
    from textwrap import wrap

    text = f"{before}{', '.join(names)}{after}"
    later = f"{indent}  " if before else indent
    return wrap(text, 100, initial_indent=indent, subsequent_indent=later, break_on_hyphens=False)


def _nodes(report: Unused) -> Iterator[str]:
    titles = {
        "rollups that no rule and no alert reads; dashboards may": report.rollups,
        "signals of this project that no rollup records": report.signals,
    }
    for title, nodes in titles.items():
        if nodes:
            yield f"{len(nodes)} {title}:"
            yield from (f"  {node.name}  ({_place(node)})" for node in nodes)
            yield ""


def _place(node: Node) -> str:
    return f"{node.span.file}:{node.span.line}" if node.span is not None else node.home
