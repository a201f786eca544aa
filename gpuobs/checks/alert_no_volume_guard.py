"""A share of failures that a single event can push over its threshold.

One failure among one event is 100 %. It keeps the share up for as long as the window of `rate()` reaches back, so that an
alert with a shorter `for` fires on it, most likely at night, when little happens. Either ask for a least number of events, or
wait longer than the window. Rule files of others are not judged: how much happens there is not known.

Bad:

```yaml
alerts:
  - name: RulesFail
    tier: info
    expr: |
      rate(prometheus_rule_evaluation_failures_total[15m]) / rate(prometheus_rule_evaluations_total[15m]) > 0.05
    for: 5m
    summary: "{{ $value | humanizePercentage }} of the rules of {{ $labels.rule_group }} fail"
    scenarios:
      - name: every rule fails
        series:
          'prometheus_rule_evaluation_failures_total{instance="a", rule_group="g"}': '0+5x60'
          'prometheus_rule_evaluations_total{instance="a", rule_group="g"}': '0+5x60'
        fires: [{at: 30m, labels: {instance: a}}]
```

Good:

```yaml
alerts:
  - name: RulesFail
    tier: info
    expr: |
      rate(prometheus_rule_evaluation_failures_total[15m]) / rate(prometheus_rule_evaluations_total[15m]) > 0.05
      and increase(prometheus_rule_evaluations_total[15m]) > 50
    for: 5m
    summary: "{{ $value | humanizePercentage }} of the rules of {{ $labels.rule_group }} fail"
    scenarios:
      - name: every rule fails
        series:
          'prometheus_rule_evaluation_failures_total{instance="a", rule_group="g"}': '0+5x60'
          'prometheus_rule_evaluations_total{instance="a", rule_group="g"}': '0+5x60'
        fires: [{at: 30m, labels: {instance: a}}]
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gpuobs import promql
from gpuobs.checks._rules import bare, expression
from gpuobs.diagnostics import Diagnostic, warning
from gpuobs.ir import Program
from gpuobs.promql import Parsed, Token
from gpuobs.spec.document import place
from gpuobs.spec.scalars import Duration, duration

CODE = "alert/no-volume-guard"
SEVERITY = "warning"

_RATES = ("rate", "increase")
# Samples and packets come in thousands, other events may come one by one.
_COUNTED = ("events", "errors", "count")


def check(program: Program) -> Iterator[Diagnostic]:
    for rule in () if program.foreign else program.alerting:
        written = expression(program, rule)
        if written is None:
            continue
        node, parsed = written
        share = _share(parsed.tree)
        windows = [] if share is None else _windows(program, share)
        if windows and Duration(rule.for_).seconds < max(windows):
            slash, window = _slash(parsed, share), duration(max(windows))
            message = f"one failure among few events keeps this share up for {window}"
            hint = f"{_guard(_whole(parsed, slash))}, or wait 'for: {window}'"
            yield warning(place(node, slash.start, slash.end), CODE, message, hint)


def _share(node: Any) -> Any | None:
    """The division that a condition holds against a number, where nothing else is asked."""
    node = bare(node)
    if promql.kind(node) != "BinaryExpr":
        return None
    sides = bare(node.lhs), bare(node.rhs)
    others = [side for side in sides if promql.kind(side) != "NumberLiteral"]
    if promql.operator(node) == "/" and len(others) == 2:
        return node
    if promql.operator(node) in (">", ">=", "*", "/") and len(others) == 1:
        return _share(others[0])
    return None


def _windows(program: Program, share: Any) -> list[float]:
    """The windows of the part, in seconds; none where it or the whole is not all rates of counted events."""
    assert program.policy is not None
    windows: list[float] = []
    for side in (share.rhs, share.lhs):
        windows = []
        nodes = list(promql.walk(side))
        rated = [n for n in nodes if promql.kind(n) == "Call" and n.func.name in _RATES]
        matrices = [bare(call.args[0]) for call in rated]
        if len(matrices) != sum(promql.kind(n) == "VectorSelector" for n in nodes):
            return []
        for matrix in matrices:
            if promql.kind(matrix) != "MatrixSelector":
                return []
            collected = program.policy.collected.get(matrix.vector_selector.name)
            if collected is None or collected.metric.unit not in _COUNTED:
                return []
            windows.append(matrix.range.total_seconds())
    return windows


def _slash(parsed: Parsed, share: Any) -> Token:
    """The sign of a division in the text: the last one before what the whole reads."""
    first = next(each for each in promql.walk(share.rhs) if promql.kind(each) == "VectorSelector")
    nodes = (each for each in promql.walk(parsed.tree) if promql.kind(each) == "VectorSelector")
    selector = promql.selectors(parsed)[[id(each) for each in nodes].index(id(first))]
    return [t for t in parsed.tokens if t.text == "/" and t.start < selector.start][-1]


def _whole(parsed: Parsed, slash: Token) -> str:
    """The text of what is divided by, up to the bracket or the comparison that ends it."""
    depth, end = 0, len(parsed.text)
    for token in parsed.tokens[parsed.tokens.index(slash) + 1 :]:
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if depth < 0 or (depth == 0 and token.text in (">", ">=", "*", "/")):
            end = token.start
            break
    return " ".join(parsed.text[slash.end : end].split())


def _guard(whole: str) -> str:
    if re.match(r"(on|ignoring)\b", whole, re.IGNORECASE):
        return "ask with 'and' for a least number of events"
    return f"add 'and {whole} > {50 if 'increase(' in whole else 0.1}'"
