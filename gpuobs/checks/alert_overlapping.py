"""Two alerts of one urgency, of which one can only fire while the other does.

They compare the same series with two thresholds and go to the same people in the same way. The stricter one tells them
nothing that they have not been told. It is worth something at another tier.

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
from itertools import combinations

from gpuobs import promql
from gpuobs.checks._rules import expression, side_by_side, token_span
from gpuobs.diagnostics import Diagnostic, Related, Span, warning
from gpuobs.ir import AlertingRule, Program
from gpuobs.promql import Token
from gpuobs.spec.scalars import Duration

CODE = "alert/overlapping"
SEVERITY = "warning"

_COMPARISONS = frozenset({">", ">=", "<", "<="})
_SETS = frozenset({"and", "or", "unless"})


@dataclass(frozen=True, slots=True)
class _Threshold:
    """A number that an alert's condition is compared with, and whether a higher one fires less often."""

    rule: AlertingRule
    value: float
    index: int
    rises: bool


def check(program: Program) -> Iterator[Diagnostic]:
    alike: dict[object, list[_Threshold]] = {}
    for group in side_by_side(program):
        for rule in group.rules:
            if isinstance(rule, AlertingRule):
                for rest, threshold in _thresholds(program, rule):
                    labels = frozenset(rule.labels.items())
                    alike.setdefault((labels, rest), []).append(threshold)
    for thresholds in alike.values():
        for one, other in combinations(thresholds, 2):
            if one.value != other.value:
                stricter, looser = sorted((one, other), key=_strictness, reverse=True)
                if _seconds(looser.rule) <= _seconds(stricter.rule):
                    yield _finding(program, stricter, looser)


def _finding(program: Program, stricter: _Threshold, looser: _Threshold) -> Diagnostic:
    message = (
        f"'{stricter.rule.alert}' only fires while '{looser.rule.alert}' does, with the same labels"
    )
    related = (Related(_place(program, looser), "the looser threshold"),)
    hint = "give it a more urgent tier or severity, or keep one of them"
    return warning(_place(program, stricter), CODE, message, hint, related)


def _strictness(threshold: _Threshold) -> float:
    return threshold.value if threshold.rises else -threshold.value


def _seconds(rule: AlertingRule) -> float:
    return Duration(rule.for_).seconds


def _thresholds(program: Program, rule: AlertingRule) -> Iterator[tuple[object, _Threshold]]:
    """Each threshold of a condition, with all the rest of it."""
    parsed = promql.parse(rule.expr, program.version)
    if not isinstance(parsed, promql.Parsed):
        return
    tokens = _unwrapped(parsed.tokens)
    offset = parsed.tokens.index(tokens[0])
    texts = tuple(token.text.lower() if token.kind == "word" else token.text for token in tokens)
    for index, negative, excluded in _compared(tokens, texts):
        value = float(int(texts[index], 0) if texts[index][:2].lower() == "0x" else texts[index])
        start = index - negative
        rest = (*texts[:start], None, *texts[index + 1 :])
        rises = (texts[start - 1][0] == ">") != excluded
        yield rest, _Threshold(rule, -value if negative else value, offset + index, rises)


def _unwrapped(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Tokens without brackets around all of them."""
    depth = 0
    for index, token in enumerate(tokens):
        depth += (token.text in "([{") - (token.text in ")]}") if token.kind == "bracket" else 0
        if depth == 0 and index < len(tokens) - 1:
            return tokens
    return _unwrapped(tokens[1:-1]) if len(tokens) > 2 else tokens


def _compared(
    tokens: tuple[Token, ...], texts: tuple[str, ...]
) -> Iterator[tuple[int, bool, bool]]:
    """Numbers that stand alone on the right of a comparison: their index, whether negative, whether after `unless`."""
    depth, excluded = 0, False
    for index, token in enumerate(tokens):
        if token.kind == "bracket":
            depth += 1 if token.text in "([{" else -1
        if depth:
            continue
        if texts[index] in _SETS:
            excluded = texts[index] == "unless"
        negative = index > 0 and texts[index - 1] == "-"
        before = texts[index - 1 - negative] if index > negative else ""
        last = index + 1 == len(tokens) or texts[index + 1] in _SETS
        if token.kind == "number" and before in _COMPARISONS and last:
            yield index, negative, excluded


def _place(program: Program, threshold: _Threshold) -> Span:
    """The number, in the expression or under `when`."""
    rule = threshold.rule
    for side in ("above", "below"):
        part = rule.part("when", side)
        if part is not None:
            return part.span
    written = expression(program, rule)
    return token_span(program, rule, written[1].tokens[threshold.index] if written else None)
