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

from collections.abc import Iterator

from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import expressions
from gpuobs.ir import Program
from gpuobs.promql import Node, walk
from gpuobs.promql.nodes import Binary, Call, Select, bare, constant
from gpuobs.spec.scalars import Duration, duration

CODE = "alert/no-volume-guard"
SEVERITY = "warning"

_RATES = ("rate", "increase")
# Samples and packets come in thousands, other events may come one by one.
_COUNTED = ("events", "errors", "count")


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in () if program.foreign else expressions(program):
        alert, share = expression.alert, _share(expression.parsed.tree)
        if alert is None or share is None or not _windows(program, share.rhs):
            continue
        window = max(_windows(program, share.lhs), default=0)
        if Duration(alert.for_).seconds < window:
            least, whole = duration(window), expression.text(share.rhs)
            message = f"one failure among few events keeps this share up for {least}"
            number = 50 if whole.startswith("increase") or "(increase(" in whole else 0.1
            hint = f"add 'and {whole} > {number}', or wait 'for: {least}'"
            slash = share.operator.start, share.operator.end
            yield expression.warning(slash, CODE, message, hint)


def _share(node: Node) -> Binary | None:
    """The division that a condition holds against a number, where nothing else is asked."""
    node = bare(node)
    if not isinstance(node, Binary):
        return None
    others = [side for side in (node.lhs, node.rhs) if constant(side) is None]
    if node.name == "/" and len(others) == 2:
        return node
    if node.name in (">", ">=", "*", "/") and len(others) == 1:
        return _share(others[0])
    return None


def _windows(program: Program, side: Node) -> list[float]:
    """The windows, in seconds, of a side that is all rates of counted events; none of any other."""
    assert program.policy is not None
    rates = [node for node in walk(side) if isinstance(node, Call) and node.name in _RATES]
    counters = [bare(rate.args[0]) for rate in rates]
    if len(rates) != sum(isinstance(node, Select) for node in walk(side)):
        return []
    windows = []
    for counter in counters:
        if not isinstance(counter, Select) or counter.window is None:
            return []
        collected = program.policy.collected.get(counter.selector.name)
        if collected is None or collected.metric.unit not in _COUNTED:
            return []
        windows.append(counter.window.seconds)
    return windows
