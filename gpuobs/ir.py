"""The target-neutral plan: what lowering makes of a policy, and all that targets see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from gpuobs.diagnostics import Span
from gpuobs.policy import Policy


@dataclass(frozen=True, slots=True)
class Origin:
    """The spec item that something was made from."""

    span: Span
    kind: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingRule:
    """One recording rule.

    `keeps` are the labels of its series, None where they are not known; `writes` and `reads` are numbers of series at one evaluation, over the whole
    fleet, or None where the fleet's arithmetic cannot bound them.
    """

    record: str
    expr: str
    labels: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""
    keeps: tuple[str, ...] | None = None
    writes: int | None = None
    reads: int | None = None
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertingRule:
    """One alerting rule. Durations are Prometheus durations; an empty one is left out."""

    alert: str
    expr: str
    for_: str = ""
    keep_firing_for: str = ""
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    origin: Origin


Rule = RecordingRule | AlertingRule


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleGroup:
    """Rules that Prometheus evaluates one after the other, at one time."""

    name: str
    interval: str
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFile:
    """The groups of one spec document; `name` has no folder and no suffix, such as `alerts-thermal`."""

    name: str
    groups: tuple[RuleGroup, ...]
    origin: Origin

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
    """One promtool test: series in, assertions out."""

    name: str
    interval: str
    series: tuple[InputSeries, ...]
    assertions: tuple[Assertion, ...]
    origin: Origin


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
    """Metadata of PrometheusRule objects."""

    namespace: str = "monitoring"
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Program:
    """All that is to be generated."""

    fleet: str
    version: tuple[int, int]  # the oldest Prometheus that must run the output
    rule_files: tuple[RuleFile, ...]
    test_files: tuple[RuleTestFile, ...]
    operator: OperatorSettings = field(default_factory=OperatorSettings)
    policy: Policy | None = field(
        default=None, repr=False, compare=False
    )  # for checks; targets do not look

    @property
    def rules(self) -> Iterator[Rule]:
        """Every rule, file by file."""
        return (rule for file in self.rule_files for rule in file.rules)

    @cached_property
    def records(self) -> Mapping[str, tuple[str, ...] | None]:
        """Every recorded name with the labels of its series, where they are known."""
        return {rule.record: rule.keeps for rule in self.rules if isinstance(rule, RecordingRule)}

    @cached_property
    def alerts(self) -> Mapping[str, AlertingRule]:
        """Every alerting rule by its name."""
        return {rule.alert: rule for rule in self.rules if isinstance(rule, AlertingRule)}

    def labels_of(self, metric: str) -> frozenset[str] | None:
        """Labels that series of a metric can have: recorded here, or collected by the fleet."""
        if metric in self.records:
            keeps = self.records[metric]
            return None if keeps is None else frozenset(keeps)
        collected = self.policy.collected.get(metric) if self.policy is not None else None
        return collected.labels if collected is not None else None


@dataclass(frozen=True, slots=True)
class Artifact:
    """One file to write: a path with '/' relative to the output folder, and its bytes."""

    path: str
    content: bytes
