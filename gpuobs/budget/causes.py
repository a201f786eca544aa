"""Which choice in the specs breaks a limit: each is undone alone, and the account is made again.

The cause is the smallest choice without which the limit would hold; where the last build's account is known, of those that
what has grown since then comes from. What is left out is left out alone: a rule that others
read stays, for without it they could not be.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from gpuobs import promql
from gpuobs.budget import changes
from gpuobs.budget.before import Growth, growth, read
from gpuobs.budget.census import Line
from gpuobs.budget.ledger import Ledger, ledger, long_term
from gpuobs.budget.limits import ACTIVE_SERIES, HEAD_SERIES, READS, SAMPLES, Use, uses
from gpuobs.diagnostics import Span
from gpuobs.ir import AlertingRule, Program, RecordingRule, Rule
from gpuobs.policy import Policy
from gpuobs.spec.model import Cluster, Exporter, Fleet, Pool, Rollup, Workloads
from gpuobs.spec.scalars import Duration

_MOST = 40  # entries of `collect` that are undone; each takes an account of its own
_MOST_OF_IT, _ALIKE = (
    0.5,
    0.1,
)  # shares of a growth: with which a choice is its cause, and that are the same
_USUAL = {"scrape_interval": Duration("15s"), "evaluation_interval": Duration("1m")}
_LEVELS = ("gpu", "workload", "node", "cluster", "fleet")
_ADDED_UP = (ACTIVE_SERIES, HEAD_SERIES, SAMPLES)  # over pools

# What is rather a mistake than others comes first: what departs from the usual, groups of metrics, whole pools.
Kind = Literal["setting", "rule", "group", "pool"]
_RANK: Mapping[Kind, int] = {"setting": 0, "rule": 0, "group": 1, "pool": 2}


@dataclass(frozen=True, slots=True)
class Choice:
    """Something in the specs that could be otherwise: its place, and how it reads when it is undone.

    Of a pool `nodes` says how many it has, some of which may fit.
    """

    span: Span
    undone: str
    undo: Callable[[Ledger], Ledger]
    kind: Kind = "setting"
    nodes: int = 0

    def concerns(self, use: Use) -> bool:
        """Whether it is a choice for this limit: a pool is none for a ratio, and only rules read, of what the pools have."""
        if use.limit == READS:
            return self.kind in ("rule", "pool")
        return self.kind != "pool" or use.limit in _ADDED_UP


@dataclass(frozen=True, slots=True)
class Effect:
    """What a limited value would be without a choice; None where nothing would be left to limit."""

    choice: Choice
    use: Use
    value: float | None

    @property
    def saved(self) -> float:
        """By how much the value would be better."""
        if self.value is None:
            return float("inf")
        better = self.value - self.use.value
        return better if self.use.at_least else -better

    @property
    def suffices(self) -> bool:
        """Whether the limit would hold without the choice."""
        return self.value is None or not replace(self.use, value=self.value).exceeded

    @property
    def fitting(self) -> int:
        """Nodes of a pool with which the limit would hold."""
        if self.value is None or not self.suffices:
            return 0
        share = (self.use.bound - self.value) / (self.use.value - self.value)
        return math.floor(self.choice.nodes * share)


def effects(program: Program, use: Use) -> tuple[Effect, ...]:
    """The choices that a broken limit comes from, the largest first."""
    found = []
    for choice, values in _undone(program):
        effect = Effect(choice, use, values.get((use.limit, use.cluster)))
        if choice.concerns(use) and effect.saved > 0:
            found.append(effect)
    return tuple(sorted(found, key=lambda effect: (-effect.saved, effect.choice.span)))


def cause(found: tuple[Effect, ...], grown: Growth | None = None) -> Effect | None:
    """The smallest choice without which the limit would hold; where there is none, the largest of all.

    A setting comes before a group of metrics, and that before a pool: who has the GPUs wants to see them. Before all of
    these comes what most of the growth is from.
    """
    enough = [effect for effect in reversed(found) if effect.suffices]
    if grown is not None and (newest := _newest(enough, grown)):
        return newest
    if enough:
        return min(enough, key=lambda effect: _RANK[effect.choice.kind])
    return next(iter(found), None)


def since(program: Program, use: Use) -> Growth | None:
    """What has grown of a limited value since the last build, if that is known."""
    before = read(program.last_report) if program.last_report else None
    return None if before is None else growth(before, ledger(program), use)


def _newest(found: Iterable[Effect], grown: Growth) -> Effect | None:
    """The choice that most of the growth comes from, and the least of what was there already; a pool where that is alike."""
    parts = [(effect, *grown.explained(effect.choice.undo(grown.whole))) for effect in found]
    most = max((share for _, share, _ in parts), default=0)
    if most < _MOST_OF_IT:
        return None
    best = [(beside, effect) for effect, share, beside in parts if share > most - _ALIKE]
    return min(best, key=lambda each: (each[0], -_RANK[each[1].choice.kind]))[1]


@lru_cache(maxsize=4)
def _undone(program: Program) -> tuple[tuple[Choice, dict[tuple[str, str], float]], ...]:
    """Every choice with the values of all limits without it, in the order of their places."""
    whole = ledger(program)
    found = []
    for choice in sorted(_choices(program, whole), key=lambda choice: choice.span):
        without = uses(choice.undo(whole))
        found.append((choice, {(use.limit, use.cluster): use.value for use in without}))
    return tuple(found)


def _choices(program: Program, whole: Ledger) -> Iterator[Choice]:
    def with_policy(edit: Callable[[Policy], Policy]) -> Callable[[Ledger], Ledger]:
        return lambda account: ledger(program, edit(account.policy))

    for span, undone, edit, kind in (
        *_of_fleet(whole.policy),
        *_of_clusters(whole.policy),
        *_of_collect(whole),
        *_of_store(whole.policy),
    ):
        yield Choice(span, undone, with_policy(edit), kind)
    for cluster, pool, _ in whole.policy.pools:
        edit = _pool(cluster, pool, replace(pool, nodes=0))
        undone = f"without pool '{pool.name}'"
        yield Choice(pool.where("nodes"), undone, with_policy(edit), "pool", pool.nodes)
    yield from _of_rules(program, whole)


_Edit = tuple[Span, str, Callable[[Policy], Policy], Kind]


def _of_fleet(policy: Policy) -> Iterator[_Edit]:
    """Intervals that are shorter than usual."""
    fleet = policy.fleet
    for key, name in (
        ("scrapeInterval", "scrape_interval"),
        ("evaluationInterval", "evaluation_interval"),
    ):
        value, usual = getattr(fleet, name), _USUAL[name]
        if value.seconds < usual.seconds:
            yield fleet.where(key), f"with '{key}: {usual}'", _setting(name, usual), "setting"


def _setting(name: str, value: Duration) -> Callable[[Policy], Policy]:
    def edit(policy: Policy) -> Policy:
        fleet: Fleet = replace(policy.fleet, **{name: value})  # type: ignore[arg-type]
        return replace(policy, fleet=fleet)

    return edit


def _of_clusters(policy: Policy) -> Iterator[_Edit]:
    """How GPUs are cut, and how workloads come and go."""
    for cluster in policy.fleet.clusters:
        for pool in cluster.pools:
            if pool.mig:
                edit = _pool(cluster, pool, replace(pool, mig={}))
                yield pool.where("mig"), f"without 'mig' of pool '{pool.name}'", edit, "setting"
        if cluster.workloads is not None:
            yield from _of_workloads(cluster, cluster.workloads)


def _of_workloads(cluster: Cluster, workloads: Workloads) -> Iterator[_Edit]:
    usual = Workloads(written=workloads.written)
    if workloads.pods_per_gpu > usual.pods_per_gpu:
        edit = _workloads(cluster, replace(workloads, pods_per_gpu=usual.pods_per_gpu))
        place = workloads.where("podsPerGpu")
        yield place, f"with 'podsPerGpu: {usual.pods_per_gpu}'", edit, "setting"
    if workloads.pod_lifetime.seconds < usual.pod_lifetime.seconds:
        edit = _workloads(cluster, replace(workloads, pod_lifetime=usual.pod_lifetime))
        place = workloads.where("podLifetime")
        yield place, f"with 'podLifetime: {usual.pod_lifetime}'", edit, "setting"
    if workloads.written.get("identity") is not None and workloads.identity != "none":
        edit = _workloads(cluster, replace(workloads, identity="none"))
        yield workloads.where("identity"), "with 'identity: none'", edit, "group"


def _pool(cluster: Cluster, pool: Pool, changed: Pool) -> Callable[[Policy], Policy]:
    pools = tuple(changed if each is pool else each for each in cluster.pools)
    return lambda policy: changes.with_cluster(policy, cluster, replace(cluster, pools=pools))


def _workloads(cluster: Cluster, changed: Workloads) -> Callable[[Policy], Policy]:
    changed_cluster = replace(cluster, workloads=changed)
    return lambda policy: changes.with_cluster(policy, cluster, changed_cluster)


def _of_collect(whole: Ledger) -> Iterator[_Edit]:
    """Entries of `collect`, those first that bring most."""
    entries = [
        (sum(line.active for line in brought(whole, exporter.spec, entry)), exporter, index)
        for exporter in whole.policy.exporters
        for index, entry in enumerate(exporter.spec.collect)
    ]
    for _, exporter, index in sorted(entries, key=lambda entry: -entry[0])[:_MOST]:
        entry = exporter.spec.collect[index]
        rest = tuple(each for each in exporter.spec.collect if each != entry)

        def edit(policy: Policy, of=exporter, entries=rest) -> Policy:  # type: ignore[no-untyped-def]
            return changes.with_collect(policy, of, entries)

        undone = f"without '{entry}' of {exporter.catalog.name}"
        is_group = any(entry in metric.groups for metric in exporter.catalog.metrics)
        kind: Kind = "group" if is_group else "setting"
        yield exporter.spec.where("collect", index), undone, edit, kind


def brought(whole: Ledger, exporter: Exporter, entry: str) -> list[Line]:
    """The lines that an entry of an exporter's `collect` brings, by itself or beside others."""
    return [
        line
        for line in whole.lines
        if line.exporter.spec is exporter
        and entry in (line.name, line.metric.name, *line.metric.aliases, *line.metric.groups)
    ]


def _of_store(policy: Policy) -> Iterator[_Edit]:
    """Levels and raw metrics that are sent to the long-term store."""
    store, storage = long_term(policy), policy.fleet.storage
    if store is None or storage is None:
        return
    for key in ("levels", "raw"):
        for index, entry in enumerate(getattr(store, key)):
            rest = tuple(each for each in getattr(store, key) if each != entry)
            changed = replace(storage, long_term=replace(store, **{key: rest}))  # type: ignore[arg-type]

            def edit(policy: Policy, storage=changed) -> Policy:  # type: ignore[no-untyped-def]
                return replace(policy, fleet=replace(policy.fleet, storage=storage))

            yield store.where(key, index), f"with '{key}: [{', '.join(rest)}]'", edit, "setting"


# Rules ---------------------------------------------------------------------------------------------------------------


def _of_rules(program: Program, whole: Ledger) -> Iterator[Choice]:
    """Rules by the entry of the specs that they come from, and by the level and the rollup that it stands in."""
    entries: dict[tuple[Span, str], list[Rule]] = {}
    for rule in program.rules:
        # All that a Jsonnet file gives has one place: there each rule is an entry of its own.
        own = _rule_name(rule) if rule.origin.span.file.endswith(".jsonnet") else ""
        entries.setdefault((rule.origin.span, own), []).append(rule)
    readers = _readers(program)
    for (span, _), rules in entries.items():
        if rules[0].origin.kind != "Fleet":
            yield from _leaving_out(_name(rules, readers), span, rules, readers)
    for rollup in (each for document in whole.policy.rollups for each in document.rollups):
        if rollup.span == rollup.levels.span:
            continue
        for name, place, extent in _parts(rollup):
            rules = [rule for (at, _), of in entries.items() if extent.holds(at) for rule in of]
            yield from _leaving_out(name, place, rules, readers)


def _rule_name(rule: Rule) -> str:
    """What a rule records, or its alert."""
    return rule.record if isinstance(rule, RecordingRule) else rule.alert


def _parts(rollup: Rollup) -> Iterator[tuple[str, Span, Span]]:
    """The levels of a rollup and the rollup itself: a name, a place to point at, and all that stands in it."""
    for level in _LEVELS:
        operations = getattr(rollup.levels, level)
        if operations is not None:
            place = rollup.levels.written.at_key(level)
            yield f"level '{level}' of '{rollup.signal}'", place, operations.span
    yield f"the rollup of '{rollup.signal}'", rollup.where("signal"), rollup.span


def _leaving_out(
    name: str, span: Span, rules: Iterable[Rule], readers: dict[str, set[int]]
) -> Iterator[Choice]:
    """The choice of some rules, if any of them can be left out: what others read cannot."""
    own = {id(rule) for rule in rules}
    gone = frozenset(
        id(rule)
        for rule in rules
        if isinstance(rule, AlertingRule) or readers.get(rule.record, set()) <= own
    )
    if gone:
        yield Choice(span, f"without {name}", lambda whole: _without(whole, gone), "rule")


def _without(whole: Ledger, gone: frozenset[int]) -> Ledger:
    rules = tuple(cost for cost in whole.rules if id(cost.rule) not in gone)
    return Ledger(whole.policy, whole.lines, whole.targets, rules)


def _readers(program: Program) -> dict[str, set[int]]:
    """Record to the rules that read it."""
    found: dict[str, set[int]] = {}
    for rule in program.rules:
        parsed = promql.parse(rule.expr, program.version)
        if isinstance(parsed, promql.Parsed):
            for selector in promql.selectors(parsed):
                found.setdefault(selector.name, set()).add(id(rule))
    return found


def _name(rules: list[Rule], readers: dict[str, set[int]]) -> str:
    """What an entry is there for: the last of its rules that no other of them reads."""
    own = {id(rule) for rule in rules}
    ends = [
        rule
        for rule in rules
        if isinstance(rule, AlertingRule) or own.isdisjoint(readers.get(rule.record, set()))
    ]
    last = (ends or rules)[-1]
    kind = "" if isinstance(last, RecordingRule) else "alert "
    return f"{kind}'{_rule_name(last)}'"
