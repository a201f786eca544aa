"""What a function makes of the shapes of its arguments, by its row in the table of functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from gpuobs.promql import nodes
from gpuobs.promql.functions import FUNCTIONS, MATRIX, SCALAR, VECTOR
from gpuobs.promql.interval import ANY, Interval
from gpuobs.promql.labelset import MADE, NAME, NONE, Labels
from gpuobs.promql.nodes import Call, Node, Select
from gpuobs.promql.relabel import joined, replaced
from gpuobs.promql.shapes import BLANK, FILTERED, QUANTILE, SHARES, Shape, scalar
from gpuobs.promql.units import COUNT, PER_SECOND, RATIO, UNIX, Unit

_INF = math.inf
# Functions that give values of their argument as they were.
_KEEPING = frozenset({"min_over_time", "max_over_time", "last_over_time", "sort", "sort_desc"})
# Functions that give amounts of what their argument has amounts of.
_AMOUNTS = frozenset({"avg_over_time", "sum_over_time", "round", "ceil", "floor"})
# What has a rate, or may have one: that of anything else has no unit to speak of.
_COUNTING = frozenset({"counter", "bucket", "unknown"})
_RELABELLING = frozenset({"label_replace", "label_join"})
# Functions whose values lie between those of their argument.
_BETWEEN = _KEEPING | _RELABELLING | {"avg_over_time"}


def called(node: Call, shapes: Mapping[Node, Shape]) -> Shape:
    """The shape of a function's result."""
    row = FUNCTIONS[node.name]
    operand = _operand(node)
    if operand is None:
        given = shapes[node.args[0]] if node.args else Shape(range=ANY)
        bounds = _bounds(row.values, node, given.range)
        return scalar(bounds, _unit(row.unit, given.unit)).but(type=row.result)
    shape = shapes[operand]
    misused = row.wants == "counter" and shape.kind not in _COUNTING
    result = shape.but(
        type=row.result,
        kind=_kind(row.kind, shape.kind),
        unit=None if misused else _unit(row.unit, shape.unit),
        range=_bounds(row.values, node, shape.range),
        labels=_labels(row.labels, node, shape.labels),
    )
    if row.result == SCALAR:
        return result.computed(labels=NONE, count=1, traits=frozenset())
    if row.labels == "absent":
        none: frozenset[str] = frozenset()
        there = frozenset({FILTERED})
        return result.computed(count=1, traits=there, scope=none, repeats=none)
    if node.name == "histogram_quantile":
        result = result.having(QUANTILE)
    if node.name not in _BETWEEN:
        result = result.lacking(*SHARES)
    if row.kind == "rated":
        result = result.lacking(BLANK)
    if node.name in _KEEPING or node.name in _RELABELLING:
        return result
    return result.computed().but(amounts=shape.amounts if node.name in _AMOUNTS else frozenset())


def _operand(node: Call) -> Node | None:
    """The argument that is a vector or a range vector."""
    for argument, type_ in zip(node.args, FUNCTIONS[node.name].arguments, strict=False):
        if type_ in (VECTOR, MATRIX):
            return argument
    return None


def _kind(rule: str, kind: str) -> str:
    if rule == "same":
        return kind
    if rule == "rated":
        return "bucket" if kind == "bucket" else "gauge"
    return rule


def _unit(rule: str, unit: Unit | None) -> Unit | None:
    if rule in ("same", "per-second", "square"):
        if unit is None or rule == "same":
            return unit
        return unit.times(PER_SECOND if rule == "per-second" else unit)
    return {"unix": UNIX, "count": COUNT, "ratio": RATIO}.get(rule)


def _bounds(rule: str | tuple[float, float], node: Call, have: Interval) -> Interval:
    if isinstance(rule, tuple):
        nan = have.nan and node.name not in _NEVER_NAN
        return Interval(*rule, nan or (rule == (-_INF, _INF)))
    return _BOUNDS[rule](have, _constants(node))


# Whatever the samples are, these give a number.
_NEVER_NAN = frozenset(
    {"count_over_time", "present_over_time", "absent", "absent_over_time", "changes", "resets"}
    | {"timestamp", "time", "pi"}
)


def _constants(node: Call) -> list[float | None]:
    types = FUNCTIONS[node.name].arguments
    pairs = zip(node.args, types, strict=False)
    return [nodes.constant(argument) for argument, type_ in pairs if type_ == SCALAR]


def _same(have: Interval, _: Sequence[float | None]) -> Interval:
    return have


def _each(
    function: Callable[[float], float],
) -> Callable[[Interval, Sequence[float | None]], Interval]:
    """The bounds under a function that rises."""

    def bounds(have: Interval, _: Sequence[float | None]) -> Interval:
        ends = (have.low, have.high)
        low, high = (end if math.isinf(end) else float(function(end)) for end in ends)
        return Interval(low, high, have.nan)

    return bounds


def _abs(have: Interval, _: Sequence[float | None]) -> Interval:
    ends = (abs(have.low), abs(have.high))
    return Interval(0.0 if 0 in have else min(ends), max(ends), have.nan)


def _round(have: Interval, to: Sequence[float | None]) -> Interval:
    nearest = to[0] if to else 1.0
    if nearest is None or not 0 < nearest < _INF:
        return ANY
    return Interval(have.low - nearest / 2, have.high + nearest / 2, have.nan)


def _clamp(have: Interval, bounds: Sequence[float | None]) -> Interval:
    low, high = bounds[0], bounds[1]
    if low is None or high is None or not low <= high:
        return ANY
    return Interval(min(max(have.low, low), high), max(min(have.high, high), low), have.nan)


def _clamp_max(have: Interval, bounds: Sequence[float | None]) -> Interval:
    high = bounds[0]
    if high is None or math.isnan(high):
        return ANY
    return Interval(min(have.low, high), min(have.high, high), have.nan)


def _clamp_min(have: Interval, bounds: Sequence[float | None]) -> Interval:
    low = bounds[0]
    if low is None or math.isnan(low):
        return ANY
    return Interval(max(have.low, low), max(have.high, low), have.nan)


def _quantile(have: Interval, value: Sequence[float | None]) -> Interval:
    inside = value[0] is not None and 0 <= value[0] <= 1
    return have.interpolated() if inside else ANY


def _mean(have: Interval, _: Sequence[float | None]) -> Interval:
    return have.mean()


def _spread(have: Interval, _: Sequence[float | None]) -> Interval:
    return Interval(0.0, _INF, have.nan or have.infinite)


def _sum(have: Interval, _: Sequence[float | None]) -> Interval:
    low = have.low if have.low >= 0 else -_INF
    high = have.high if have.high <= 0 else _INF
    return Interval(low, high, have.nan or have.infinite)


def _rated(have: Interval, _: Sequence[float | None]) -> Interval:
    """Of a counter: what falls is taken for a reset, so it only rises where its values are not negative."""
    return Interval(0.0 if have.low >= 0 else -_INF, _INF, have.nan or have.infinite)


def _sqrt(have: Interval, _: Sequence[float | None]) -> Interval:
    root = math.sqrt(have.high) if 0 <= have.high < _INF else _INF
    return Interval(
        math.sqrt(have.low) if 0 <= have.low < _INF else 0.0, root, have.nan or have.low < 0
    )


def _exp(have: Interval, _: Sequence[float | None]) -> Interval:
    return Interval(0.0, _INF, have.nan)


def _log(have: Interval, _: Sequence[float | None]) -> Interval:
    return Interval(-_INF, _INF, have.nan or have.low < 0)


def _wave(have: Interval, _: Sequence[float | None]) -> Interval:
    return Interval(-1.0, 1.0, have.nan or have.infinite)


def _any(_have: Interval, _: Sequence[float | None]) -> Interval:
    return ANY


def _or_nan(have: Interval, _: Sequence[float | None]) -> Interval:
    return Interval(have.low, have.high, True)


_BOUNDS: Mapping[str, Callable[[Interval, Sequence[float | None]], Interval]] = {
    "same": _same,
    "abs": _abs,
    "ceil": _each(math.ceil),
    "floor": _each(math.floor),
    "round": _round,
    "clamp": _clamp,
    "clamp_max": _clamp_max,
    "clamp_min": _clamp_min,
    "quantile": _quantile,
    "mean": _mean,
    "spread": _spread,
    "sum": _sum,
    "rated": _rated,
    "sqrt": _sqrt,
    "exp": _exp,
    "log": _log,
    "wave": _wave,
    "arc": _any,
    "or-nan": _or_nan,
}


def _labels(rule: str, node: Call, labels: Labels) -> Labels:
    if rule == "absent":
        return _absent(nodes.bare(node.args[0]))
    if rule == "without le":
        return labels.drop(("le",))
    if rule == "replace":
        target, replacement, source, pattern = (_text(argument) for argument in node.args[1:5])
        return replaced(labels, target, replacement, source, pattern)
    if rule == "join":
        target, separator, *sources = (_text(argument) for argument in node.args[1:])
        return joined(labels, target, separator, tuple(sources))
    return labels


def _absent(node: Node) -> Labels:
    """The labels of equality matchers; one with other matchers beside it only in some orders, and storage reorders them."""
    labels = NONE
    if isinstance(node, Select):
        matched = [matcher.label for matcher in node.selector.matchers]
        for matcher in node.selector.matchers:
            label, value = matcher.label, matcher.value
            if matcher.op == "=" and value and label != NAME:
                values = labels.values.get(label, frozenset()) | {value}
                labels = labels.with_label(label, values, matched.count(label) == 1, MADE)
    return labels


def _text(node: Node) -> str:
    node = nodes.bare(node)
    return node.value if isinstance(node, nodes.String) else ""
