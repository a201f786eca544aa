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

from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import expressions
from gpuobs.ir import Program
from gpuobs.promql import Node
from gpuobs.promql.nodes import Aggregate, Binary, bare, constant

CODE = "alert/topk-in-alert"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for choice in _choices(expression.parsed.tree) if expression.alert is not None else ():
            name = choice.function
            message = f"the series of this alert are those that '{name.text}' picks at the moment"
            hint = f"compare all series with a threshold, without '{name.text}'"
            yield expression.warning((name.start, name.end), CODE, message, hint)


def _choices(node: Node) -> Iterator[Aggregate]:
    """Aggregations that choose which series the alert has."""
    node = bare(node)
    if isinstance(node, Binary):
        yield from _choices(node.lhs)
        if node.name != "unless":
            yield from _choices(node.rhs)
    elif isinstance(node, Aggregate) and node.name in ("topk", "bottomk") and not _folds(node):
        yield node


def _folds(node: Aggregate) -> bool:
    """Whether one series of each group is taken, which folds series that say the same."""
    assert node.parameter is not None
    return node.grouping is not None and constant(node.parameter) == 1
