"""The graph of what feeds what: metric, signal, rollup, alert, receiver."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from gpuobs import names
from gpuobs.diagnostics import Span
from gpuobs.graph.reading import reads
from gpuobs.ir import AlertingRule, Program, RecordingRule, Rule, RuleFile
from gpuobs.lower.sources import source_of
from gpuobs.policy import Collected, Policy
from gpuobs.spec.model import Signal

BUILT_IN = "built in"


@dataclass(frozen=True, slots=True)
class Shape:
    """How nodes of a kind are drawn: the brackets of Mermaid and the shape of DOT."""

    mermaid: tuple[str, str]
    dot: str


# Every kind of node, from what feeds to what uses. A new one stands here, and its edges in `_PARTS`.
KINDS: Mapping[str, Shape] = {
    "metric": Shape(("[/", "/]"), "parallelogram"),
    "signal": Shape(("([", "])"), "ellipse"),
    "rollup": Shape(("[", "]"), "box"),
    "alert": Shape(("{{", "}}"), "hexagon"),
    "receiver": Shape((">", "]"), "cds"),
}
RULES = ("rollup", "alert")
_LAYER = {kind: layer for layer, kind in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class Node:
    """One thing by its kind and name. `home` is the exporter or the document that it belongs to."""

    kind: str
    name: str
    home: str = field(default="", compare=False)
    span: Span | None = field(default=None, compare=False)

    @property
    def order(self) -> tuple[int, str]:
        """Its layer, then its name."""
        return _LAYER[self.kind], self.name


Edge = tuple[Node, Node]


@dataclass(frozen=True)
class Graph:
    """Nodes by layer and name, and edges from what feeds to what uses."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    @cached_property
    def feeders(self) -> Mapping[Node, tuple[Node, ...]]:
        """Node to all that feeds it directly."""
        return _neighbours(self.nodes, ((user, feeder) for feeder, user in self.edges))

    @cached_property
    def users(self) -> Mapping[Node, tuple[Node, ...]]:
        """Node to all that uses it directly."""
        return _neighbours(self.nodes, self.edges)

    def named(self, name: str) -> tuple[Node, ...]:
        """The nodes of a name: an exporter's metric may be called as a signal is."""
        return tuple(node for node in self.nodes if node.name == name)

    def above(self, nodes: Iterable[Node]) -> frozenset[Node]:
        """These nodes and all that feeds them, directly or not."""
        return _reached(nodes, self.feeders)

    def below(self, nodes: Iterable[Node]) -> frozenset[Node]:
        """These nodes and all that uses them, directly or not."""
        return _reached(nodes, self.users)

    def around(self, nodes: Iterable[Node]) -> Graph:
        """The part that feeds or uses these nodes."""
        chosen = tuple(nodes)
        above, below = self.above(chosen), self.below(chosen)
        edges = (edge for edge in self.edges if edge[1] in above or edge[0] in below)
        return Graph(tuple(n for n in self.nodes if n in above or n in below), tuple(edges))

    @cached_property
    def in_use(self) -> Graph:
        """The rules with all that feeds or uses them: no metric and no signal that no rule needs."""
        return self.around(node for node in self.nodes if node.kind in RULES)


def graph(program: Program) -> Graph:
    """The graph of a program, with all that the fleet collects and every signal that there is."""
    nodes: dict[Node, Node] = {}
    edges: set[Edge] = set()
    for part in _PARTS:
        for node, feeders in part(program):
            nodes.setdefault(node, node)
            edges.update((feeder, node) for feeder in feeders)
    for feeder, _ in edges:
        nodes.setdefault(feeder, feeder)
    ordered = sorted(nodes.values(), key=lambda node: node.order)
    pairs = sorted(edges, key=lambda edge: (edge[0].order, edge[1].order))
    return Graph(tuple(ordered), tuple((nodes[feeder], nodes[user]) for feeder, user in pairs))


Part = Iterator[tuple[Node, Iterable[Node]]]  # a node with all that feeds it


def _metrics(program: Program) -> Part:
    if program.policy is not None:
        for name, collected in program.policy.collected.items():
            home = str(collected.exporter.spec.catalog)
            yield Node("metric", name, home, _collecting(collected)), ()


def _collecting(collected: Collected) -> Span:
    """The entry of the fleet's `collect` that brings a metric."""
    exporter, metric = collected.exporter.spec, collected.metric
    wanted = {metric.name, *metric.aliases, *metric.groups}
    entries = (index for index, entry in enumerate(exporter.collect) if entry in wanted)
    index = next(entries, None)
    return exporter.where("catalog") if index is None else exporter.where("collect", index)


def _signals(program: Program) -> Part:
    if program.policy is None:
        return
    for signal in program.policy.signals.values():
        built_in = signal.span.file.startswith("<built-in>")
        home = BUILT_IN if built_in else "SignalCatalog"
        node = Node("signal", signal.name, home, None if built_in else signal.span)
        yield node, _sources(program.policy, signal)


def _sources(policy: Policy, signal: Signal) -> Iterator[Node]:
    if signal.ratio is not None:
        yield from (Node("signal", part) for part in (signal.ratio.of, signal.ratio.to))
        return
    for vendor in policy.vendors:
        source = source_of(policy, signal, vendor)
        if source is not None:
            yield from (Node("metric", c.name) for c in source.metrics.values())


def _rules(program: Program) -> Part:
    files = (*program.known, *program.rule_files)
    recording = [r for file in files for r in file.rules if isinstance(r, RecordingRule)]
    signals = {rule.record: rule.signal for rule in recording}
    collected = program.policy.collected if program.policy is not None else {}
    known = (*signals, *(name for name in collected if name not in signals))
    for file in files:
        for rule in file.rules:
            read = reads(rule.expr, program.version, known)
            yield _rule(file, rule), _feeders(rule, read, signals)


def _rule(file: RuleFile, rule: Rule) -> Node:
    kind, name = (
        ("alert", rule.alert) if isinstance(rule, AlertingRule) else ("rollup", rule.record)
    )
    return Node(kind, name, f"{file.origin.kind} {file.origin.name}", rule.origin.span)


def _feeders(rule: Rule, read: Collection[str], signals: Mapping[str, str]) -> Iterator[Node]:
    """What feeds a rule. Metrics reach a signal's rollup through the signal, and that through its lowest rollup."""
    yield from (Node("rollup", name) for name in read if name in signals)
    signal = rule.signal if isinstance(rule, RecordingRule) else ""
    if not signal:
        yield from (Node("metric", name) for name in read if name not in signals)
    elif all(signals.get(name) != signal for name in read):
        yield Node("signal", signal)


def _receivers(program: Program) -> Part:
    if program.policy is None:
        return
    tiers = program.policy.tiers
    named = {
        (str(owner), str(tier)): receiver
        for owner, receivers in tiers.owners.items()
        for tier, receiver in receivers.items()
    }
    for alert in program.alerting:
        key = alert.labels.get(names.OWNER, ""), alert.labels.get(names.TIER, "")
        if named.get(key):
            receiver = Node("receiver", named[key], "Tiers", tiers.where("owners", *key))
            yield receiver, (Node("alert", alert.alert),)


_PARTS = (_metrics, _signals, _rules, _receivers)


def _neighbours(nodes: Iterable[Node], pairs: Iterable[Edge]) -> Mapping[Node, tuple[Node, ...]]:
    found: dict[Node, list[Node]] = {node: [] for node in nodes}
    for node, neighbour in pairs:
        found[node].append(neighbour)
    return {node: tuple(sorted(each, key=lambda n: n.order)) for node, each in found.items()}


def _reached(start: Iterable[Node], ways: Mapping[Node, tuple[Node, ...]]) -> frozenset[Node]:
    todo = list(start)
    seen = set(todo)
    while todo:
        for neighbour in ways[todo.pop()]:
            if neighbour not in seen:
                seen.add(neighbour)
                todo.append(neighbour)
    return frozenset(seen)
