"""A series that is read more often than it is recorded.

Prometheus looks 5 minutes back for the last sample of a series. One that is recorded every 10
minutes is there for 5 of them and gone for the others: the alert flaps, the sum changes. Read it
over a range that holds a sample, and record alerts' sources more often.

Bad:

```yaml
scrapeInterval: 10m
evaluationInterval: 10m
---
rules:
  - record: cluster:temperature:max
    expr: max by (cluster) (DCGM_FI_DEV_GPU_TEMP)
    unit: celsius
```

Good:

```yaml
scrapeInterval: 10m
evaluationInterval: 10m
---
rules:
  - record: cluster:temperature:max
    expr: max by (cluster) (max_over_time(DCGM_FI_DEV_GPU_TEMP[20m]))
    unit: celsius
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
