"""What a promtool unit test file says, each part with the YAML that it was written as."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuobs.lower.samples import Samples
from gpuobs.promql import Parsed
from gpuobs.spec.node import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One series of samples. Its name and labels are None where they cannot be read, and so are its samples."""

    name: str | None
    labels: Mapping[str, str] | None
    samples: tuple[Samples, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertTest:
    """Which alerts of a name fire at a time, in seconds since the test's start."""

    written: Node
    alertname: str
    at: float
    fires: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ExprTest:
    """What an expression gives at a time, in seconds; `values` are the nodes of the expected numbers."""

    written: Node
    expr: Parsed | None
    at: float
    values: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test: series a sample every `interval` seconds, and what must come of them."""

    written: Node
    interval: float
    series: tuple[Series, ...]
    alerts: tuple[AlertTest, ...]
    exprs: tuple[ExprTest, ...]

    def named(self, metric: str) -> list[Series]:
        """The series of a metric, with those whose name is not known."""
        return [series for series in self.series if series.name in (metric, None)]


@dataclass(frozen=True, slots=True, kw_only=True)
class TestFile:
    """A unit test file. `rule_files` and `order` are text nodes; an evaluation every `interval` seconds."""

    written: Node
    rule_files: tuple[Node, ...]
    order: tuple[Node, ...]
    interval: float
    cases: tuple[Case, ...]

    def texts(self, key: str) -> Iterator[str]:
        """The texts of `rule_files` or `order`."""
        nodes: tuple[Node, ...] = getattr(self, key)
        return (str(node.value) for node in nodes)
