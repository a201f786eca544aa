"""What rules cost: the series that each writes and reads at one evaluation, in the Prometheus of one cluster.

A rule writes one series for each combination of its labels, in the pools whose exporters report what it reads. Which
pools these are is told from its expression: a metric has series where the census counts some, an operator needs both
sides, `or` either.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from gpuobs import arithmetic, names, promql
from gpuobs.budget import census
from gpuobs.exporters import EVERY_TARGET
from gpuobs.expressions import result
from gpuobs.ir import AlertingRule, Program, RecordingRule, Rule, RuleFile, RuleGroup
from gpuobs.policy import Policy
from gpuobs.promql.labelset import MADE
from gpuobs.promql.nodes import (
    Aggregate,
    Binary,
    Call,
    Node,
    Number,
    Paren,
    Select,
    String,
    Subquery,
    Unary,
    walk,
)
from gpuobs.promql.selecting import Selector
from gpuobs.spec.scalars import Duration

# Pools of a cluster by name; None is everywhere: a constant, or series of what is no GPU.
Pools = frozenset[str] | None
_NOWHERE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCost:
    """One rule in one Prometheus. Without a cluster it is the long-term store's ruler, which sees all of them.

    `held` are the series that it has of what is there now: an alerting rule has none while nothing happens. `reads` are the
    series that its selectors match. None where nothing bounds them. `interval` is in seconds, and so is `lingers`: how
    long a pod that ended stays in its windows. `labels` are the canonical ones of its series, in `pools`, None where these
    are not known or where they are of no pool.
    """

    cluster: str
    file: RuleFile
    group: RuleGroup
    rule: Rule
    held: int | None
    reads: int | None
    interval: float
    renewed: float = 0
    lingers: float = 0
    labels: frozenset[str] | None = None
    pools: Pools = None

    @property
    def name(self) -> str:
        return self.rule.record if isinstance(self.rule, RecordingRule) else self.rule.alert

    @property
    def level(self) -> str:
        return self.rule.level if isinstance(self.rule, RecordingRule) else ""

    @property
    def writes(self) -> int | None:
        """Series that it writes at one evaluation, those of pods that ended a moment ago too."""
        return None if self.held is None else round(self.held * (1 + self.renewed * self.lingers))

    def churned(self, seconds: float) -> float:
        """Series that ended within some seconds, and are no longer written."""
        return (self.held or 0) * self.renewed * max(0, seconds - self.lingers)


def costs(program: Program, policy: Policy) -> tuple[RuleCost, ...]:
    """Every rule in every Prometheus that evaluates it. The policy may be another than the one it was lowered from."""
    parts = (census.of_cluster(policy, cluster) for cluster in policy.fleet.clusters)
    found = [cost for part in parts for cost in _of_cluster(program, part)]
    above = [file for file in program.rule_files if file.of_fleet]
    return (*found, *_Prometheus(_rules(program), policy, "").costs(above))


@lru_cache(maxsize=256)
def _of_cluster(program: Program, part: Policy) -> tuple[RuleCost, ...]:
    """The rules of one cluster's Prometheus."""
    below = [file for file in program.rule_files if not file.of_fleet]
    name = str(part.fleet.clusters[0].name)
    return tuple(_Prometheus(_rules(program), part, name).costs(below))


@lru_cache(maxsize=4)
def _rules(program: Program) -> _Rules:
    return _Rules(program)


class _Rules:
    """What is known of a program's rules, however many GPUs there are: what they read, their labels, how far they see."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[int, frozenset[str] | None] = {}
        self._windows: dict[str, float] = {}
        self.lowered = program.policy
        self.groups = sum(len(f.groups) for f in program.rule_files if not f.of_fleet)
        self.by_record: dict[str, list[RecordingRule]] = {}
        for rule in program.rules:
            if isinstance(rule, RecordingRule):
                self.by_record.setdefault(rule.record, []).append(rule)

    def tree(self, expr: str) -> Node | None:
        """An expression's tree, None where it cannot be read."""
        parsed = promql.parse(expr, self._program.version)
        return None if isinstance(parsed, promql.Refused) else parsed.tree

    def selected(self, expr: str) -> tuple[str, ...]:
        """Names that an expression selects."""
        parsed = promql.parse(expr, self._program.version)
        if isinstance(parsed, promql.Refused):
            return ()
        return tuple(selector.name for selector in promql.selectors(parsed))

    def lingers(self, expr: str) -> float:
        """Seconds that an expression sees back: its windows, and those of the records that it reads."""
        if expr not in self._windows:
            self._windows[expr] = 0  # in a circle of rules nothing is known
            tree = self.tree(expr)
            own = (
                n.window.seconds
                for n in (walk(tree) if tree is not None else ())
                if isinstance(n, Select | Subquery) and n.window
            )
            below = (
                self.lingers(rule.expr)
                for name in self.selected(expr)
                for rule in self.by_record.get(name, ())
            )
            self._windows[expr] = max(own, default=0) + max(below, default=0)
        return self._windows[expr]

    def of(self, rule: RecordingRule) -> frozenset[str] | None:
        """None where its series can have labels that are not known."""
        if rule.keeps is not None:
            return frozenset(rule.keeps)
        if id(rule) not in self._known:
            self._known[id(rule)] = self._analysed(rule)
        return self._known[id(rule)]

    def _analysed(self, rule: RecordingRule) -> frozenset[str] | None:
        shape, policy = result(self._program, rule), self._program.policy
        if shape is None or shape.labels.open or policy is None:
            return None
        labels, made = shape.labels, set(rule.labels)
        exporters = [e for e in policy.exporters if e.catalog.name in shape.scope]
        found = set()
        for label in labels.possible - made:
            origin = labels.origin(label)
            if origin != MADE:
                called = next(
                    (e.canonical[origin] for e in exporters if origin in e.canonical), origin
                )
                found.add(called)
        return frozenset(found)


class _Prometheus:
    """The rules of one Prometheus over the pools that it sees."""

    def __init__(self, rules: _Rules, policy: Policy, cluster: str) -> None:
        self._rules = rules
        lowered = rules.lowered or policy
        self._usual = str(lowered.fleet.evaluation_interval)
        self._policy = policy
        self._cluster = cluster
        self._pools_of: dict[str, Pools] = {}
        self._series_of: dict[str, int | None] = {}
        self._vendors = tuple(policy.vendors)

    @cached_property
    def _lines(self) -> Mapping[str, list[census.Line]]:
        found: dict[str, list[census.Line]] = {}
        for line in census.lines(self._policy, self._rules.groups):
            found.setdefault(line.name, []).append(line)
        return found

    @cached_property
    def _names_pods(self) -> bool:
        """Whether exporters of GPUs write which pod holds one."""
        loads = [cluster.workloads for cluster in self._policy.fleet.clusters]
        return any(each is None or each.identity == "dcgm-pod-labels" for each in loads)

    @cached_property
    def _targets(self) -> int:
        return sum(group.count for group in census.targets(self._policy))

    def costs(self, files: Iterable[RuleFile]) -> Iterator[RuleCost]:
        for file in files:
            for group in file.groups:
                interval = self._interval(group)
                for rule in group.rules:
                    cost = RuleCost(
                        cluster=self._cluster,
                        file=file,
                        group=group,
                        rule=rule,
                        held=0,
                        reads=self._reads(rule),
                        interval=interval,
                    )
                    yield cost if isinstance(rule, AlertingRule) else self._written(cost, rule)

    def _written(self, cost: RuleCost, rule: RecordingRule) -> RuleCost:
        """The cost with what a recording rule writes."""
        return replace(
            cost,
            held=self._held(rule),
            renewed=self._renewed(rule),
            lingers=self._rules.lingers(rule.expr),
            labels=self._rules.of(rule),
            pools=self._pools(self._rules.tree(rule.expr)),
        )

    def _interval(self, group: RuleGroup) -> float:
        """A group without an interval, or with the fleet's, follows the fleet's if that changes."""
        if group.interval in ("", self._usual):
            return self._policy.fleet.evaluation_interval.seconds
        return Duration(group.interval).seconds

    def _held(self, rule: RecordingRule) -> int | None:
        labels = self._rules.of(rule)
        if labels is None:
            return None
        pools = self._pools(self._rules.tree(rule.expr))
        if pools is None and not labels & {names.NODE, names.GPU, names.GPU_UUID, names.POD}:
            return 1
        if pools is not None and (not pools or (not self._names_pods and names.POD in labels)):
            return 0
        picked = {} if pools is None else {names.POOL: pools}
        entities = arithmetic.series(self._policy, labels, self._vendors, picked, steady=True)
        each = (self._values(rule.expr, label) for label in labels - arithmetic.KNOWN)
        return None if entities is None else entities * math.prod(each)

    def _values(self, expr: str, label: str) -> int:
        """Values of a label that is not the fleet's to count, of each entity: those of the metric that brings it."""
        found = 1
        for name in self._rules.selected(expr):
            for line in self._lines.get(name, ()):
                found = max([found, *(f.count for f in line.factors if f.what == label)])
            for rule in self._rules.by_record.get(name, ()):
                found = max(found, self._values(rule.expr, label) if rule.expr != expr else 1)
        return found

    def _renewed(self, rule: Rule) -> float:
        """How often in a second one of its series ends and another takes its place: as its pods do."""
        if not isinstance(rule, RecordingRule) or names.POD not in (self._rules.of(rule) or ()):
            return 0
        lifetimes = [census.lifetime(cluster.workloads) for cluster in self._policy.fleet.clusters]
        return 1 / min(lifetimes)

    def _reads(self, rule: Rule) -> int | None:
        counts = [self._series(name) for name in self._rules.selected(rule.expr)]
        return None if None in counts else sum(count or 0 for count in counts)

    def _series(self, name: str) -> int | None:
        """Active series of a metric or a record; None where nothing is known of it."""
        if name not in self._series_of:
            self._series_of[name] = None  # in a circle of rules nothing is known
            if name in self._rules.by_record:
                counts = [self._held(rule) for rule in self._rules.by_record[name]]
                self._series_of[name] = None if None in counts else sum(c or 0 for c in counts)
            elif name in self._lines:
                self._series_of[name] = sum(line.active for line in self._lines[name])
            elif name in self._policy.collected:
                every = EVERY_TARGET in self._policy.collected[name].metric.groups
                self._series_of[name] = self._targets if every else 0
        return self._series_of[name]

    # Where an expression has a result ------------------------------------------------------------------------------

    def _pools(self, node: Node | None) -> Pools:
        match node:
            case Select():
                waits = self._waits(node.selector)
                return _NOWHERE if waits else self._of_metric(node.selector.name)
            case Binary():
                return self._of_operator(node)
            case Aggregate() | Paren() | Unary() | Subquery():
                return self._pools(node.expr)
            case Call(args=args):
                of = [self._pools(each) for each in args if not isinstance(each, Number | String)]
                return of[0] if of else None
        return None

    def _of_operator(self, node: Binary) -> Pools:
        left, right = self._pools(node.lhs), self._pools(node.rhs)
        if node.name == "or":
            return _union(left, right)
        return left if node.name == "unless" else _intersection(left, right)

    def _waits(self, selector: Selector) -> bool:
        """Whether what is selected has a label that series get only when something happens, such as `xid`."""
        collected = self._policy.collected.get(selector.name)
        if collected is None:
            return False
        rare = set(collected.metric.sometimes) & collected.metric.each.keys()
        wanted = (m.label for m in selector.matchers if (m.op, m.value) == ("!=", ""))
        return not rare.isdisjoint(wanted)

    def _of_metric(self, name: str) -> Pools:
        if name in self._pools_of:
            return self._pools_of[name]
        self._pools_of[name] = None
        if name in self._rules.by_record:
            found: Pools = _NOWHERE
            for rule in self._rules.by_record[name]:
                found = _union(found, self._pools(self._rules.tree(rule.expr)))
            self._pools_of[name] = found
        elif (
            name in self._policy.collected and self._policy.collected[name].exporter.catalog.vendor
        ):
            self._pools_of[name] = frozenset(
                line.pool for line in self._lines.get(name, ()) if line.active
            )
        return self._pools_of[name]


def _union(one: Pools, other: Pools) -> Pools:
    return None if one is None or other is None else one | other


def _intersection(one: Pools, other: Pools) -> Pools:
    if one is None or other is None:
        return other if one is None else one
    return one & other
