"""Two alerts of one urgency, of which one can only fire while the other does.

They compare the same series with two thresholds and go to the same people in the same way. The stricter one tells them
nothing that they have not been told. It is worth something at another tier. Of several looser ones the one that fires first is named.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 80}
    summary: GPU {{ $labels.gpu }} is hot
  - name: GpuVeryHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 90}
    summary: GPU {{ $labels.gpu }} is very hot
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 80}
    summary: GPU {{ $labels.gpu }} is hot
  - name: GpuVeryHot
    tier: ticket
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 90}
    summary: GPU {{ $labels.gpu }} is very hot
    description: It slows down soon.
    runbook: {impact: Jobs slow down., diagnose: [nvidia-smi -q -d TEMPERATURE], fix: [Check the fans.]}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from gpuobs import promql
from gpuobs.checks._rules import side_by_side
from gpuobs.diagnostics import Diagnostic, Related, Span, warning
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import AlertingRule, Program
from gpuobs.promql import Node, Parsed
from gpuobs.promql.nodes import Binary, bare, constant
from gpuobs.spec.scalars import Duration

CODE = "alert/overlapping"
SEVERITY = "warning"


@dataclass(frozen=True, slots=True)
class _Threshold:
    """A number that an alert's condition is compared with, its place, and whether a higher one fires less often."""

    rule: AlertingRule
    value: float
    place: Span
    rises: bool


def check(program: Program) -> Iterator[Diagnostic]:
    written = {id(expression.rule): expression for expression in expressions(program)}
    alike: dict[object, list[_Threshold]] = {}
    for group in side_by_side(program):
        for rule in group.rules:
            if isinstance(rule, AlertingRule):
                for rest, threshold in _thresholds(program, rule, written.get(id(rule))):
                    labels = frozenset(rule.labels.items())
                    alike.setdefault((labels, rest), []).append(threshold)
    for thresholds in alike.values():
        yield from _overlapping(thresholds)


def _overlapping(thresholds: list[_Threshold]) -> Iterator[Diagnostic]:
    """Each threshold with the looser one that fires first, of those that fire before it does."""
    first: _Threshold | None = None
    for _, equal in groupby(sorted(thresholds, key=_strictness), key=_strictness):
        alike = list(equal)
        for each in alike:
            if first is not None and _seconds(first.rule) <= _seconds(each.rule):
                yield _finding(each, first)
        first = min((first, *alike) if first else alike, key=lambda each: _seconds(each.rule))


def _finding(stricter: _Threshold, looser: _Threshold) -> Diagnostic:
    message = (
        f"'{stricter.rule.alert}' only fires while '{looser.rule.alert}' does, with the same labels"
    )
    related = (Related(looser.place, "the looser threshold"),)
    hint = "give it a more urgent tier or severity, or keep one of them"
    return warning(stricter.place, CODE, message, hint, related)


def _strictness(threshold: _Threshold) -> float:
    return threshold.value if threshold.rises else -threshold.value


def _seconds(rule: AlertingRule) -> float:
    return Duration(rule.for_).seconds


def _thresholds(
    program: Program, rule: AlertingRule, expression: Expression | None
) -> Iterator[tuple[object, _Threshold]]:
    """Each threshold of a condition, with all the rest of it."""
    parsed = expression.parsed if expression else promql.parse(rule.expr, program.version)
    if not isinstance(parsed, Parsed):
        return
    for comparison, rises in _comparisons(parsed.tree, excluded=False):
        value, number = constant(comparison.rhs), comparison.rhs
        if value is not None:
            place = (
                _of_when(rule) if expression is None else expression.place(number.start, number.end)
            )
            yield _rest(parsed, number), _Threshold(rule, value, place, rises)


def _comparisons(node: Node, excluded: bool) -> Iterator[tuple[Binary, bool]]:
    """Comparisons that decide which series the condition has, and whether a higher number leaves fewer."""
    node = bare(node)
    if not isinstance(node, Binary):
        return
    if node.name in ("and", "or", "unless"):
        yield from _comparisons(node.lhs, excluded)
        yield from _comparisons(node.rhs, excluded != (node.name == "unless"))
    elif node.name in (">", ">=", "<", "<=") and not node.bool:
        yield node, node.name.startswith(">") != excluded


def _rest(parsed: Parsed, number: Node) -> tuple[str, ...]:
    """What a condition says but for a number, brackets around all of it left out."""
    whole = bare(parsed.tree)
    before = (t.text for t in parsed.tokens if whole.start <= t.start < number.start)
    after = (t.text for t in parsed.tokens if number.end <= t.start < whole.end)
    return (*before, "", *after)


def _of_when(rule: AlertingRule) -> Span:
    sides = (rule.part("when", side) for side in ("above", "below"))
    return next((side.span for side in sides if side is not None), rule.origin.span)
