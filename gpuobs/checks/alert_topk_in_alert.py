"""An alert on the first few of many series.

Which series are the first five changes from one evaluation to the next. Those that drop out resolve, those that come in
wait out their `for` anew: the alert flaps, or never fires.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    expr: topk(5, gpu:temperature:max5m) > 85
    for: 5m
    summary: GPU {{ $labels.gpu }} is among the hottest
    scenarios:
      - name: one hot GPU
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30'}
        fires: [{at: 20m, labels: {node: n1}}]
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: info
    expr: gpu:temperature:max5m > 85
    for: 5m
    summary: GPU {{ $labels.gpu }} is hot
    scenarios:
      - name: one hot GPU
        series: {'DCGM_FI_DEV_GPU_TEMP{Hostname="n1"}': '90x30'}
        fires: [{at: 20m, labels: {node: n1}}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuobs import promql
from gpuobs.checks._rules import bare, call_tokens, expression
from gpuobs.diagnostics import Diagnostic, warning
from gpuobs.ir import Program
from gpuobs.spec.document import place

CODE = "alert/topk-in-alert"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    for rule in program.alerting:
        written = expression(program, rule)
        if written is None:
            continue
        node, parsed = written
        tokens = call_tokens(parsed)
        for chosen in _choices(parsed.tree):
            token = tokens[id(chosen)]
            message = f"the series of this alert are those that '{token.text}' picks at the moment"
            hint = f"compare all series with a threshold, without '{token.text}'"
            yield warning(place(node, token.start, token.end), CODE, message, hint)


def _choices(node: Any) -> Iterator[Any]:
    """Aggregations that choose which series the alert has."""
    node = bare(node)
    if promql.kind(node) == "BinaryExpr":
        yield from _choices(node.lhs)
        if promql.operator(node) != "unless":
            yield from _choices(node.rhs)
    elif promql.kind(node) == "AggregateExpr" and _picks(node):
        yield node


def _picks(node: Any) -> bool:
    """Whether an aggregation picks series.

    One of each group only folds series that say the same.
    """
    if promql.operator(node) not in ("topk", "bottomk"):
        return False
    limit = bare(node.param)
    one = promql.kind(limit) == "NumberLiteral" and limit.val == 1
    return not (one and node.modifier is not None)
