"""A series that is recorded less often than queries look back.

Prometheus looks 5 minutes back for the last sample of a series. One that is recorded every 10
minutes is there for 5 of them and gone for the others: an alert on it flaps, a sum changes. Read it
over a range that holds a sample. Rules of the group that records it read what was just recorded,
and are left alone.

Bad:

```yaml
groups:
  - name: slow
    interval: 10m # gpuobs: ignore rule/interval -- costly, and read over a range
    rules:
      - {record: "node:gpu_temperature:max", expr: max by (Hostname) (DCGM_FI_DEV_GPU_TEMP)}
  - name: alerts
    rules:
      - alert: NodeHot
        expr: node:gpu_temperature:max > 85
        for: 15m
        labels: {severity: warning}
        annotations: {summary: "GPUs of {{ $labels.Hostname }} are hot"}
```

Good:

```yaml
groups:
  - name: slow
    interval: 10m # gpuobs: ignore rule/interval -- costly, and read over a range
    rules:
      - {record: "node:gpu_temperature:max", expr: max by (Hostname) (DCGM_FI_DEV_GPU_TEMP)}
  - name: alerts
    rules:
      - alert: NodeHot
        expr: last_over_time(node:gpu_temperature:max[11m]) > 85
        for: 15m
        labels: {severity: warning}
        annotations: {summary: "GPUs of {{ $labels.Hostname }} are hot"}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._intervals import interval
from gpuobs.checks._values import named
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program, RecordingRule
from gpuobs.promql.nodes import Select
from gpuobs.spec.scalars import duration

CODE = "promql/lookback"
SEVERITY = "warning"

_LOOKBACK = 300


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for node in expression.analysis.of(Select):
            if node.window is not None or node.at:
                continue
            every = interval(expression, node)
            if every > _LOOKBACK and not _just_recorded(expression, node.selector.name):
                message = (
                    f"'{named(expression, node)}' has a sample every {duration(every)}, and is read "
                    "as gone 5m after each"
                )
                hint = (
                    f"last_over_time({named(expression, node)}[{duration(every + _LOOKBACK / 5)}])"
                )
                yield expression.warning(node, CODE, message, hint)


def _just_recorded(expression: Expression, name: str) -> bool:
    """Whether a rule of the same group records it, right before or one evaluation ago."""
    rules = expression.group.rules
    return any(isinstance(rule, RecordingRule) and rule.record == name for rule in rules)
