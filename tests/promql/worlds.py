"""Small worlds for the analyser to ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuobs.promql.labelset import Labels
from gpuobs.promql.shapes import Shape


@dataclass(frozen=True)
class Given:
    """Metrics by name, and nothing else; labels are not counted."""

    metrics: Mapping[str, Shape] = field(default_factory=dict)
    evaluation_interval: float = 60

    def metric(self, name: str) -> Shape | None:
        return self.metrics.get(name)

    def share(self, part: str, whole: str) -> str:
        return ""

    def count(self, labels: Labels, scope: frozenset[str], span: float = 0) -> int | None:
        return None if labels.open or labels.possible else 1


class Nothing(Given):
    """A world in which nothing is known."""
