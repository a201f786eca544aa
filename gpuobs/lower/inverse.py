"""From a signal's value back to the raw samples that give it, for unit tests at a threshold's very edge."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from gpuobs import promql
from gpuobs.lower.sources import Source, source_of
from gpuobs.policy import Collected, Policy
from gpuobs.promql.nodes import Binary, Select, bare, constant
from gpuobs.spec.model import Signal

# Relative distance from a threshold for metrics with fractional values.
_STEP = 0.001
# The whole of a ratio of signals, in base units, unless that is more than its metric can have: 80 GiB for bytes.
_WHOLE = 80 * 1024**3


@dataclass(frozen=True, slots=True)
class Raw:
    """One raw metric's value (or, for a counter, its slope per second) with the labels that its selector asks for."""

    collected: Collected
    labels: Mapping[str, str]
    value: float


@dataclass(frozen=True, slots=True)
class Term:
    """One metric of a linear source: its selector's labels and its factor."""

    collected: Collected
    labels: Mapping[str, str]
    factor: float


def raw_at(policy: Policy, signal: Signal, vendor: str, value: float, side: int) -> tuple[Raw, ...]:
    """Raw samples for a signal value just above (side 1) or just below (side -1) `value`.

    Empty where the source is not linear in its metrics, so that no single sample gives the value.
    """
    if signal.ratio is not None:
        return _ratio(policy, signal, vendor, value, side)
    terms = _terms(policy, signal, vendor)
    if not terms:
        return ()
    first, *others = terms
    edge = _beside(first.collected, value / first.factor, side, signal.kind == "counter")
    return (
        Raw(first.collected, first.labels, edge),
        *(Raw(term.collected, term.labels, 0) for term in others),
    )


def _ratio(policy: Policy, signal: Signal, vendor: str, value: float, side: int) -> tuple[Raw, ...]:
    assert signal.ratio is not None
    part = _terms(policy, policy.signals[signal.ratio.of], vendor)
    whole = _terms(policy, policy.signals[signal.ratio.to], vendor)
    if not part or not whole:
        return ()
    total = min(_WHOLE, *(_highest(term) for term in (*part, *whole)))
    edge = _beside(part[0].collected, value * total / part[0].factor, side, slope=False)
    raws = {part[0].collected.name: Raw(part[0].collected, part[0].labels, edge)}
    for term in part[1:]:
        raws[term.collected.name] = Raw(term.collected, term.labels, 0)
    rest = total - sum(
        raws[term.collected.name].value * term.factor
        for term in whole
        if term.collected.name in raws
    )
    for term in whole:
        if term.collected.name not in raws:
            raws[term.collected.name] = Raw(term.collected, term.labels, rest / term.factor)
            rest = 0
    return tuple(
        Raw(raw.collected, raw.labels, float(round(raw.value)))
        if raw.collected.metric.integer
        else raw
        for raw in raws.values()
    )


def _highest(term: Term) -> float:
    """The highest value of a metric that is no blank, in the signal's unit."""
    highest = term.collected.metric.range and term.collected.metric.range[1]
    return math.inf if highest is None else highest * abs(term.factor)


def _beside(collected: Collected, edge: float, side: int, slope: bool) -> float:
    """The nearest value on one side of an edge: a whole step for integers, a thousandth for others.

    Within the metric's range: what lies beyond is a blank, which the rules clamp away.
    """
    if slope:
        return edge * (1 + side * 10 * _STEP) if edge else (1 / 60 if side > 0 else 0.0)
    low, high = collected.metric.range or (None, None)
    if collected.metric.integer:
        whole = round(edge)
        exact = math.isclose(edge, whole, rel_tol=1e-9, abs_tol=1e-12)
        beside = whole + side if exact else (math.ceil(edge) if side > 0 else math.floor(edge))
        return float(min(max(beside, -math.inf if low is None else low), high or math.inf))
    value = edge + side * (abs(edge) * _STEP or _STEP)
    if high is not None and value > high:
        return (edge + high) / 2
    if low is not None and value < low:
        return (edge + low) / 2
    return value


def _terms(policy: Policy, signal: Signal, vendor: str) -> tuple[Term, ...]:
    source = source_of(policy, signal, vendor)
    if source is None:
        return ()
    parsed = promql.parse(source.text)
    assert isinstance(parsed, promql.Parsed)
    if signal.unit == "gpus":
        selected = promql.selectors(parsed)[0]
        return (Term(source.metrics[selected.name], {}, 1),)
    factors = _linear(parsed.tree)
    if factors is None:
        return ()
    return tuple(_term(source, selector, factor) for selector, factor in factors)


def _term(source: Source, selector: promql.Selector, factor: float) -> Term:
    labels = {m.label: m.value for m in selector.matchers if m.op == "="}
    return Term(source.metrics[selector.name], labels, factor)


def _linear(node: promql.Node) -> list[tuple[promql.Selector, float]] | None:
    """Selectors with their factors, where the expression is a sum of multiples of selectors."""
    node = bare(node)
    if isinstance(node, Select):
        return [(node.selector, 1.0)]
    if not isinstance(node, Binary):
        return None
    operator = node.name
    left, right = _linear(node.lhs), _linear(node.rhs)
    if operator == "or":
        return left
    if operator in ("+", "-") and left is not None and right is not None:
        sign = 1 if operator == "+" else -1
        return left + [(selector, sign * factor) for selector, factor in right]
    if operator == "*" and left is not None:
        return _scaled(left, constant(node.rhs))
    if operator == "*" and right is not None:
        return _scaled(right, constant(node.lhs))
    if operator == "/" and left is not None:
        divisor = constant(node.rhs)
        return _scaled(left, 1 / divisor if divisor else None)
    return None


def _scaled(
    terms: list[tuple[promql.Selector, float]], by: float | None
) -> list[tuple[promql.Selector, float]] | None:
    return None if by is None else [(selector, factor * by) for selector, factor in terms]
