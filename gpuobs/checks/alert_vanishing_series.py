"""An alert on a falling count, which ends when nothing is left to count.

`count()` of no series is not 0, it is nothing. So an alert on fewer than 8 GPUs fires at seven and resolves at none: it
goes away when things are worst. Some other alert must notice that the exporter is gone: one on its `up`, with `absent()`, or
on the inventory.

Bad:

```yaml
alerts:
  - name: GpuMissing
    tier: info
    expr: count by (cluster, node) (gpu:temperature:max5m{vendor="nvidia"}) < 8
    for: 5m
    summary: "{{ $labels.node }} has {{ $value }} GPUs"
    scenarios:
      - name: one of eight GPUs
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '50x30'}
        fires: [{at: 20m, labels: {node: n1}}]
```

Good:

```yaml
alerts:
  - name: GpuMissing
    tier: info
    expr: count by (cluster, node) (gpu:temperature:max5m{vendor="nvidia"}) < 8
    for: 5m
    summary: "{{ $labels.node }} has {{ $value }} GPUs"
    scenarios:
      - name: one of eight GPUs
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '50x30'}
        fires: [{at: 20m, labels: {node: n1}}]
  - name: GpuExporterDown
    tier: info
    expr: up{job=~"dcgm-exporter|amd-gpu-exporter"} == 0
    for: 5m
    summary: GPU exporter {{ $labels.instance }} does not answer
    scenarios:
      - name: one exporter is down
        series: {'up{job="dcgm-exporter", instance="10.0.0.1:9400"}': '1x10 0x30'}
        fires: [{at: 20m, labels: {instance: "10.0.0.1:9400"}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import promql
from gpuobs.checks._presence import Presence
from gpuobs.diagnostics import Diagnostic, Span, warning
from gpuobs.expressions import expressions
from gpuobs.ir import AlertingRule, Program
from gpuobs.promql import Node
from gpuobs.promql.nodes import Aggregate, Binary, Select, bare

CODE = "alert/vanishing-series"
SEVERITY = "warning"

_FALLING = ("<", "<=", "!=")


def check(program: Program) -> Iterator[Diagnostic]:
    if program.foreign:
        return
    presence = Presence(program)
    written = {id(expression.rule): expression for expression in expressions(program)}
    for rule in program.alerting:
        expression = written.get(id(rule))
        parsed = expression.parsed if expression else promql.parse(rule.expr, program.version)
        count = _count(presence, parsed.tree) if isinstance(parsed, promql.Parsed) else None
        if count is not None and isinstance(parsed, promql.Parsed):
            token = count.function if isinstance(count, Aggregate) else count
            span = expression.place(token.start, token.end) if expression else rule.origin.span
            yield from _unguarded(program, presence, rule, parsed, span)


def _unguarded(
    program: Program, presence: Presence, rule: AlertingRule, parsed: promql.Parsed, span: Span
) -> Iterator[Diagnostic]:
    others = [alert for alert in program.alerting if alert is not rule]
    for exporter in presence.exporters(parsed).values():
        if not any(presence.notices(alert, exporter) for alert in others):
            job = exporter.spec.job
            message = f"this count is nothing, and not 0, when all series of job '{job}' are gone"
            hint = f"""add an alert with 'expr: up{{job="{job}"}} == 0'"""
            yield warning(span, CODE, message, hint)


def _count(presence: Presence, node: Node) -> Node | None:
    """The count, or the record of one, that a condition wants not to fall; of `and` and `unless` the left side counts."""
    node = bare(node)
    if not isinstance(node, Binary):
        return None
    if node.name in ("and", "unless"):
        return _count(presence, node.lhs)
    counted = bare(node.lhs)
    return counted if node.name in _FALLING and _is_count(presence, counted) else None


def _is_count(presence: Presence, node: Node) -> bool:
    if isinstance(node, Select):
        return any(_counts(parsed.tree) for parsed in presence.recorded(node.selector.name))
    return _counts(node)


def _counts(node: Node) -> bool:
    """Whether it counts series whatever their values: what is gone is missing, and nothing else is."""
    node = bare(node)
    if not isinstance(node, Aggregate) or node.name != "count":
        return False
    return not any(isinstance(below, Binary) for below in promql.walk(node.expr))
