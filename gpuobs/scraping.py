"""What a Prometheus configuration of others says of scraping and sending, each part with the place where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from gpuobs.diagnostics import Span
from gpuobs.promql.relabel import Step
from gpuobs.spec.node import Node

Reader = Literal["prometheus", "operator"]


def camel(key: str) -> str:
    """A key of Prometheus as the operator spells it."""
    first, *rest = key.split("_")
    return first + "".join(part.capitalize() for part in rest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Relabeling:
    """One step of relabelling, and the mapping that it was written as."""

    step: Step
    written: Node = field(compare=False, repr=False)

    def place(self, key: str, index: int | None = None) -> Span:
        """Where a key's value stands, in either spelling; where the step begins if it has none."""
        node = self.written.get(key) or self.written.get(camel(key))
        if node is None:
            return self.begin
        item = node.get(index) if index is not None else None
        return (item or node).span

    @property
    def begin(self) -> Span:
        """The step's first key."""
        first = next(iter(self.written.value), None)
        return self.written.span if first is None else self.written.key_span(first)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A number that a scrape may not pass. The number 0 is none."""

    value: int
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """How targets are found; `role` is Kubernetes', `attached` whether the labels of nodes or namespaces are asked for."""

    mechanism: str
    role: str = ""
    attached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticTargets:
    """Targets that are listed, with the labels that they share."""

    addresses: tuple[str, ...]
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScrapeJob:
    """A scrape config, or an endpoint of a ServiceMonitor or PodMonitor.

    `label` is the `job` of its series, None where the objects in the cluster decide. `added` are labels that the operator
    sets on targets before the author's own steps. `interval` and `timeout` are those in force, empty where they are not
    known. Limits go by Prometheus' names. Of steps that Prometheus refuses there is none here. One that `sends` is no job:
    its steps for metrics are those of a remote write, which sees the series of every job.
    """

    name: str
    label: str | None
    span: Span
    reader: Reader
    interval: str = ""
    timeout: str = ""
    honor_labels: bool = False
    limits: Mapping[str, Limit] = field(default_factory=dict)
    added: frozenset[str] = frozenset()
    discoveries: tuple[Discovery, ...] = ()
    targets: tuple[StaticTargets, ...] = ()
    sends: bool = False
    relabelings: tuple[Relabeling, ...] = ()
    metric_relabelings: tuple[Relabeling, ...] = ()
    written: Node = field(compare=False, repr=False)

    @property
    def is_listed(self) -> bool:
        """Whether all of its targets are listed in the configuration."""
        return all(each.mechanism == "static" for each in self.discoveries)

    def discovers(self, *mechanisms: str) -> bool:
        return any(each.mechanism in mechanisms for each in self.discoveries)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteWrite:
    """One place that samples are sent to."""

    url: str
    span: Span
    relabelings: tuple[Relabeling, ...] = ()
    written: Node = field(compare=False, repr=False)

    def as_job(self) -> ScrapeJob:
        """Its steps where those of jobs are looked at."""
        return ScrapeJob(
            name="",
            label=None,
            span=self.span,
            reader="prometheus" if "write_relabel_configs" in self.written.value else "operator",
            sends=True,
            metric_relabelings=self.relabelings,
            written=self.written,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """What one Prometheus is told, or one object of the operator."""

    jobs: tuple[ScrapeJob, ...] = ()
    remote_writes: tuple[RemoteWrite, ...] = ()
    span: Span
