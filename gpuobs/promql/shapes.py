"""Shapes: what is known of the series that an expression gives, before any server is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from gpuobs.promql.functions import SCALAR, VECTOR
from gpuobs.promql.interval import ANY, Interval
from gpuobs.promql.labelset import NONE, OPEN, Labels
from gpuobs.promql.selecting import Selector
from gpuobs.promql.units import Unit

# What has been done to the values on the way.
MEAN = "mean"  # a mean over series
QUANTILE = "quantile"  # a quantile over series or of a histogram
RATIO = "ratio"  # one vector divided by another
SUMMED = "summed"  # added up over series
FILTERED = "filtered"  # a comparison left series out
SHARE = "share"  # a part over its whole
LIMITED = "limited"  # a quantity over its limit
BLANK = "blank"  # blanks of the exporter can be among the values
SHARES = frozenset({SHARE, LIMITED})
_MOST = 10**12


@dataclass(frozen=True, slots=True)
class Shape:
    """What is known of an expression's series.

    `kind` is what the values mean: counter, gauge, bucket, boolean, code, latched-code, bitmask, info, or unknown. `unit` is
    None where it is not known. `count` is an upper bound on the series of the whole fleet, None for none; `scope` are the
    exporters whose labels they have. Across the labels in `repeats` one value is there several times. `age` is how many
    seconds old the oldest sample is that it can depend on beyond the lookback, `every` the seconds between its samples.
    Series that ended within the last `span` seconds can still be among them. `metrics` are the names whose values these
    are, through whatever keeps values as they are, and `amounts` those of which they are amounts: sums, means and
    multiples too.
    """

    type: str = VECTOR
    kind: str = "unknown"
    unit: Unit | None = None
    range: Interval = ANY
    labels: Labels = OPEN
    count: int | None = None
    scope: frozenset[str] = frozenset()
    repeats: frozenset[str] = frozenset()
    age: float = 0
    span: float = 0
    every: float = 0
    traits: frozenset[str] = frozenset()
    metrics: frozenset[str] = frozenset()
    amounts: frozenset[str] = frozenset()

    def but(self, **changes: object) -> Shape:
        return replace(self, **changes)  # type: ignore[arg-type]

    def having(self, *traits: str) -> Shape:
        return replace(self, traits=self.traits | frozenset(traits))

    def lacking(self, *traits: str) -> Shape:
        return replace(self, traits=self.traits - frozenset(traits))

    def computed(self, **changes: object) -> Shape:
        """After arithmetic: values are others than those of the metrics."""
        return replace(self, metrics=frozenset(), amounts=frozenset(), **changes)  # type: ignore[arg-type]

    def union(self, other: Shape) -> Shape:
        """Of series that are of either shape."""
        return Shape(
            type=self.type,
            kind=self.kind if self.kind == other.kind else "unknown",
            unit=self.unit if self.unit == other.unit else None,
            range=self.range.union(other.range),
            labels=self.labels.union(other.labels),
            count=plus(self.count, other.count),
            scope=joint(self.scope, other.scope),
            repeats=self.repeats | other.repeats,
            age=max(self.age, other.age),
            span=max(self.span, other.span),
            every=max(self.every, other.every),
            traits=((self.traits | other.traits) - SHARES) | (self.traits & other.traits),
            metrics=self.metrics | other.metrics,
            amounts=self.amounts | other.amounts,
        )


UNKNOWN = Shape()


def scalar(range_: Interval, unit: Unit | None = None) -> Shape:
    return Shape(type=SCALAR, kind="gauge", unit=unit, range=range_, labels=NONE, count=1)


def plus(a: int | None, b: int | None) -> int | None:
    return bounded(None if a is None or b is None else a + b)


def bounded(count: int | None) -> int | None:
    """A count of series, unless there are more than any store holds: that is no bound."""
    return None if count is None or count > _MOST else count


def joint(a: frozenset[str], b: frozenset[str]) -> frozenset[str]:
    """The exporters of both; none are known where one side's labels are of no exporter."""
    return a | b if a and b else frozenset()


def least(*counts: int | None) -> int | None:
    """The smallest of the bounds that there are."""
    known = [count for count in counts if count is not None]
    return min(known) if known else None


class World(Protocol):
    """What the analyser asks of the fleet; it knows no catalog itself."""

    def metric(self, name: str) -> Shape | None:
        """The series of a metric before any matcher; None where nothing is known of it."""

    def count(self, labels: Labels, scope: frozenset[str], span: float = 0) -> int | None:
        """How many combinations these labels can have at most within so many seconds; None where it is not bounded."""

    def share(self, part: str, whole: str) -> str:
        """The trait of a metric divided by another: a share of its whole, or of its limit; empty for neither."""

    @property
    def evaluation_interval(self) -> float:
        """Seconds between two evaluations of the rules, which is the default step of a subquery."""


def of_selector(selector: Selector, world: World, window: float = 0) -> Shape:
    """The series that a selector selects, at one time or within a window: more than there are at any one time."""
    known = world.metric(selector.name) if selector.name else None
    shape = known or UNKNOWN
    labels = shape.labels.narrowed(selector.matchers)
    span = shape.span + window
    bound = world.count(labels, shape.scope, span) if known else None
    count = bound if window else least(shape.count, bound)
    return shape.but(labels=labels, count=count, span=span)
