"""An alert whose `for` is longer than its tier allows.

An alert that waits longer than its tier allows wakes someone when the damage is done. One that waits as long as an
event is visible in its window, as `changes(X[5m]) > 0` with `for: 10m` does, never fires for a single event.

Bad:

```yaml
alerts:
  - name: GpuExporterDown
    tier: page
    expr: up{job="dcgm-exporter"} == 0
    for: 30m
    summary: GPU exporter {{ $labels.instance }} does not answer
    description: Nothing is known of this node's GPUs.
    runbook: {impact: The node is not watched., diagnose: [kubectl get pods], fix: [Restart the exporter's pod.]}
    scenarios:
      - name: one exporter is down
        series: {'up{job="dcgm-exporter", instance="10.0.0.1:9400"}': '1x10 0x60'}
        fires: [{at: 50m, labels: {instance: "10.0.0.1:9400"}}]
```

Good:

```yaml
alerts:
  - name: GpuExporterDown
    tier: page
    expr: up{job="dcgm-exporter"} == 0
    for: 10m
    summary: GPU exporter {{ $labels.instance }} does not answer
    description: Nothing is known of this node's GPUs.
    runbook: {impact: The node is not watched., diagnose: [kubectl get pods], fix: [Restart the exporter's pod.]}
    scenarios:
      - name: one exporter is down
        series: {'up{job="dcgm-exporter", instance="10.0.0.1:9400"}': '1x10 0x60'}
        fires: [{at: 25m, labels: {instance: "10.0.0.1:9400"}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from gpuobs.checks._values import Threshold, inner, thresholds
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql import nodes
from gpuobs.promql.nodes import Aggregate, Binary, Call, Node, Select
from gpuobs.spec.scalars import Duration

CODE = "alert/for-too-long"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    yield from _of_tiers(program)
    for expression in expressions(program):
        if expression.alert is not None and expression.alert.for_:
            yield from _of_events(expression, expression.alert.for_)


def _of_tiers(program: Program) -> Iterator[Diagnostic]:
    assert program.policy is not None
    for _, alert in program.policy.all_alerts():
        bound = program.policy.tiers.tiers[alert.tier].max_for
        if bound is not None and alert.for_.seconds > bound.seconds:
            message = f"'for: {alert.for_}' is longer than tier '{alert.tier}' allows ({bound})"
            span = alert.where("for") if alert.written.get("for") else alert.where("name")
            yield error(span, CODE, message, f"for: {bound}")


def _of_events(expression: Expression, for_: str) -> Iterator[Diagnostic]:
    """Events of which each counts, and that are out of their window before the alert fires."""
    seconds = Duration(for_).seconds
    found: dict[Node, Threshold] = {each.node: each for each in thresholds(expression)}
    for node in _all_of(expression.parsed.tree):
        select = _event(expression, found.get(node))
        window = select.window if select is not None else None
        if window is not None and 0 < window.seconds <= seconds:
            text = expression.parsed.text[window.start : window.end].strip("[]")
            message = (
                f"one event makes this true for {text} at most: with 'for: {for_}' it never fires"
            )
            hint = "take away 'for'; 'keep_firing_for' keeps an alert that has fired"
            yield expression.warning(node, CODE, message, hint)
            return


def _all_of(node: Node) -> Iterator[Node]:
    """The conditions that must all hold."""
    node = nodes.bare(node)
    if isinstance(node, Binary) and node.name == "and":
        yield from chain(_all_of(node.lhs), _all_of(node.rhs))
    elif isinstance(node, Binary) and node.name == "unless":
        yield from _all_of(node.lhs)
    else:
        yield node


def _event(expression: Expression, found: Threshold | None) -> Select | None:
    """What counts the events of a condition that any of them meets."""
    if found is None or (found.operator, found.value) not in ((">", 0), (">=", 1), ("!=", 0)):
        return None
    call = nodes.bare(found.series)
    while isinstance(call, Aggregate) and call.name in ("sum", "max"):
        call = nodes.bare(call.expr)
    if not isinstance(call, Call) or call.name not in ("changes", "increase", "rate"):
        return None
    select = inner(call.args[0])
    policy = expression.program.policy
    if not isinstance(select, Select) or policy is None:
        return None
    collected = policy.collected.get(select.selector.name)
    return select if collected is not None and collected.metric.fault else None
