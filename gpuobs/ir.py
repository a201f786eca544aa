"""The target-neutral plan: what lowering makes of a policy, and all that targets see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from gpuobs.diagnostics import Span
from gpuobs.plan import CollectionPlan
from gpuobs.policy import CheckSettings, Policy
from gpuobs.routing import Configuration as RoutingConfiguration
from gpuobs.scraping import Configuration
from gpuobs.spec.node import Node

T = TypeVar("T")
_ANNOTATIONS = ("summary", "description")


@dataclass(frozen=True, slots=True)
class Origin:
    """The spec item that something was made from."""

    span: Span
    kind: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """What every rule has. `written` is the YAML mapping that an author wrote it as, in a spec or in a rule file."""

    expr: str
    labels: Mapping[str, str] = field(default_factory=dict)
    origin: Origin
    written: Node | None = field(default=None, compare=False, repr=False)

    def part(self, *path: str) -> Node | None:
        """What was written under `expr`, `for`, `labels` or `annotations`: specs have annotations as keys of their own."""
        if self.written is None:
            return None
        if path[0] == "annotations" and self.written.get("annotations") is None:
            path = path[1:]
        return self.written.get(*path) if path else None

    def place(self, *path: str) -> Span:
        """Where a part was written; where the rule was, if it has no such part."""
        part = self.part(*path)
        return self.origin.span if part is None else part.span

    def templates(self) -> Iterator[tuple[tuple[str, str], Node]]:
        """The texts that Prometheus renders, each with `labels` or `annotations` and its key."""
        for part in ("annotations", "labels"):
            node = self.written.get(part) if self.written is not None else None
            keys = _ANNOTATIONS if part == "annotations" else ()
            for key in node.value if node is not None and isinstance(node.value, dict) else keys:
                text = self.part(part, key)
                if text is not None and isinstance(text.value, str):
                    yield (part, key), text


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingRule(_Rule):
    """One recording rule. `signal` is the one that it records, and `level` where; both are empty where it is none.

    `keeps` are the labels of its series, None where they are not known. `range` has the lowest and the highest value that it can
    have by its signal, where that says more than its expression.
    """

    record: str
    signal: str = ""
    level: str = ""
    unit: str = ""
    range: tuple[float | None, float | None] | None = None
    keeps: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Guide:
    """What a person who is woken reads: what an alert means for users, steps to its cause, steps to mend it.

    `incidents` are the names of the scenarios that test it.
    """

    impact: str = ""
    diagnose: tuple[str, ...] = ()
    fix: tuple[str, ...] = ()
    incidents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertingRule(_Rule):
    """One alerting rule. Durations are Prometheus durations; an empty one is left out."""

    alert: str
    for_: str = ""
    keep_firing_for: str = ""
    annotations: Mapping[str, str]
    guide: Guide = field(default=Guide(), compare=False, repr=False)


Rule = RecordingRule | AlertingRule


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleGroup:
    """Rules that Prometheus evaluates one after the other, at one time. Without an interval, at the fleet's."""

    name: str
    interval: str
    rules: tuple[Rule, ...]
    written: Node | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFile:
    """The groups of one spec document; `name` has no folder and no suffix, such as `alerts-thermal`.

    `of_fleet` says that it reads what no single cluster has, so that only the long-term store's ruler can evaluate it.
    """

    name: str
    groups: tuple[RuleGroup, ...]
    origin: Origin
    of_fleet: bool = False

    @property
    def rules(self) -> Iterator[Rule]:
        """Every rule, group by group."""
        return (rule for group in self.groups for rule in group.rules)


@dataclass(frozen=True, slots=True, kw_only=True)
class InputSeries:
    """One series of a unit test, in promtool's notation."""

    series: str
    values: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One expected sample; `labels` as a PromQL selector without a name, such as `{node="n1"}`."""

    labels: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """What an expression must give at a time since the test's start.

    `claim` says it in words for the report of a failure.
    """

    expr: str
    at: str
    samples: tuple[Sample, ...]
    claim: str
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTest:
    """One promtool test: series in, assertions out. Without an `evaluation_interval` rules are evaluated as the fleet says."""

    name: str
    interval: str
    series: tuple[InputSeries, ...]
    assertions: tuple[Assertion, ...]
    origin: Origin
    evaluation_interval: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTestFile:
    """The tests of one spec document. `rule_files` are names of RuleFiles, in the order of evaluation."""

    name: str
    evaluation_interval: str
    rule_files: tuple[str, ...]
    group_order: tuple[str, ...]
    cases: tuple[RuleTest, ...]
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorSettings:
    """Metadata of the operator's objects: all are in `namespace`, `labels` and `annotations` are of PrometheusRules."""

    namespace: str = "monitoring"
    labels: Mapping[str, str] = field(default_factory=dict)
    monitor_labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, eq=False)
class Program:
    """All that is to be generated; or with `foreign`, rule files of others that are only looked at.

    Rules may read what `known` records, which is not looked at itself. In foreign files a metric that no catalog has is
    not known, while the specs name all that there is.
    """

    fleet: str
    version: tuple[int, int]  # the oldest Prometheus that must run the output
    rule_files: tuple[RuleFile, ...]
    test_files: tuple[RuleTestFile, ...]
    operator: OperatorSettings = field(default_factory=OperatorSettings)
    collection: CollectionPlan = field(default_factory=CollectionPlan)
    routing: RoutingConfiguration | None = None  # what the Tiers say of notification
    known: tuple[RuleFile, ...] = ()
    foreign: bool = False
    configurations: tuple[Configuration, ...] = ()  # of others, which are only looked at
    routings: tuple[RoutingConfiguration, ...] = ()  # of others' Alertmanagers
    policy: Policy | None = field(
        default=None, repr=False, compare=False
    )  # for checks; targets do not look
    last_report: str = field(default="", repr=False)  # of the last build's budget: for checks alone

    @property
    def rules(self) -> Iterator[Rule]:
        """Every rule, file by file."""
        return (rule for file in self.rule_files for rule in file.rules)

    @cached_property
    def records(self) -> frozenset[str]:
        """Every recorded name, here or in what is known."""
        rules = (rule for file in (*self.rule_files, *self.known) for rule in file.rules)
        return frozenset(rule.record for rule in rules if isinstance(rule, RecordingRule))

    @property
    def alerting(self) -> Iterator[AlertingRule]:
        """Every alerting rule, file by file."""
        return (rule for rule in self.rules if isinstance(rule, AlertingRule))

    @cached_property
    def alerts(self) -> Mapping[str, AlertingRule]:
        """Every alerting rule by its name."""
        return {rule.alert: rule for rule in self.alerting}

    def parameter(self, code: str, name: str, default: T) -> T:
        """The project's value for a check's parameter, else its default."""
        settings = self.policy.checks if self.policy is not None else CheckSettings()
        return settings.parameter(code, name, default)

    def switches_on(self, code: str) -> bool:
        """Whether the project asks for a check that is off by default."""
        setting = self.policy.checks.by_code.get(code) if self.policy is not None else None
        return setting is not None and setting.enabled


@dataclass(frozen=True, slots=True)
class Artifact:
    """One file to write: a path with '/' relative to the output folder, and its bytes."""

    path: str
    content: bytes
