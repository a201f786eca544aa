"""A blank of the exporter taken for a measurement.

For boards without a sensor DCGM has a blank, 9.2e18, and some versions of the exporter pass it on.
It is above every threshold, and makes any mean or sum meaningless. The catalog says of which fields
that was seen (`sentinel: blank`); a bound from above, anywhere in the expression, keeps it out.
Spikes, which pass, are for `for` and for the range to cover.

Bad:

```yaml
rules:
  - record: node:memory_temperature:mean
    expr: avg by (Hostname) (DCGM_FI_DEV_MEMORY_TEMP)
    unit: celsius
```

Good:

```yaml
rules:
  - record: node:memory_temperature:mean
    expr: avg by (Hostname) (DCGM_FI_DEV_MEMORY_TEMP <= 200)
    unit: celsius
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._values import collected, named, thresholds
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql import walk
from gpuobs.promql.nodes import Aggregate, Node, Select
from gpuobs.promql.shapes import BLANK

CODE = "promql/sentinel"
SEVERITY = "warning"

_SPOILT = frozenset({"sum", "avg", "stddev", "stdvar"})
_BOUNDING = frozenset({"<", "<=", "=="})


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        leaking = frozenset(
            name
            for node in expression.analysis.of(Select)
            if BLANK in expression.analysis[node].traits
            for name in expression.analysis[node].metrics
        )
        if leaking and leaking - _bounded(expression):
            yield from _findings(expression)


def _bounded(expression: Expression) -> frozenset[str]:
    """Metrics of which a comparison, with whatever it is joined, keeps the blanks out.

    It is one from above, or one of two, such as `x > 95 unless x > 1000`.
    """
    bounded: set[str] = set()
    compared: set[str] = set()
    for threshold in thresholds(expression):
        if any(isinstance(node, Aggregate) for node in walk(threshold.series)):
            continue
        names = expression.analysis[threshold.series].metrics
        bounded |= names if threshold.operator in _BOUNDING else names & compared
        compared |= names
    return frozenset(bounded)


def _findings(expression: Expression) -> Iterator[Diagnostic]:
    aggregates = [
        node
        for node in expression.analysis.of(Aggregate)
        if node.name in _SPOILT and _is_blank(expression, node.expr)
    ]
    for node in aggregates:
        if not any(each in aggregates for each in expression.analysis.ancestors(node)):
            message = (
                f"{node.name}() of '{named(expression, node.expr)}' takes in the blanks that the "
                "exporter leaks"
            )
            yield expression.warning(node, CODE, message, _hint(expression, node, node.expr))
    if expression.alert is None or aggregates:
        return
    for threshold in thresholds(expression):
        if threshold.operator in (">", ">=") and _is_blank(expression, threshold.series):
            message = (
                f"a blank of '{named(expression, threshold.series)}' that the exporter leaks is "
                "above any threshold"
            )
            hint = _hint(expression, threshold.node, threshold.node)
            yield expression.warning(threshold.node, CODE, message, hint)


def _is_blank(expression: Expression, node: Node) -> bool:
    """Whether blanks are among the values of the metric itself; of a record its own rule speaks."""
    shape = expression.analysis[node]
    return BLANK in shape.traits and collected(expression, shape) is not None


def _hint(expression: Expression, whole: Node, part: Node) -> str:
    """The whole with its part bounded by the highest value that the catalog knows."""
    found = collected(expression, expression.analysis[part])
    high = found.metric.range[1] if found is not None and found.metric.range is not None else None
    if high is None:
        return "bound it from above with <="
    text = expression.parsed.text
    spelt = f"{text[whole.start : part.end]} <= {high:g}{text[part.end : whole.end]}"
    return " ".join(spelt.split())
