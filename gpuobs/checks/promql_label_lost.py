"""A label that an aggregation or a join took away before it is used.

The grouping or the join silently sees no label there: series that should stay apart are merged, or
no pair is ever found.

Bad:

```yaml
rules:
  - record: node:gpus:hot
    expr: sum by (node) (count by (cluster) (gpu:temperature:max5m > 80))
    unit: gpus
```

Good:

```yaml
rules:
  - record: node:gpus:hot
    expr: sum by (node) (count by (cluster, node) (gpu:temperature:max5m > 80))
    unit: gpus
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._joins import is_apart
from gpuobs.checks._labels import Use, missing, removed_by, workloads
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql.nodes import Aggregate, Binary, Call, Node

CODE = "promql/label-lost"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for use in missing(expression):
            node = removed_by(expression, use.label, use.operand)
            if node is not None and not is_apart(expression, node):
                message = f"'{use.label}' is gone after '{_head(expression, node)}'"
                yield expression.error(use.at, CODE, message, _hint(expression, use, node))


def _head(expression: Expression, node: Node) -> str:
    """What removed the label, without its operand."""
    if isinstance(node, Aggregate):
        grouping = node.grouping
        words = expression.parsed.text[grouping.start : grouping.end] if grouping else ""
        return f"{node.function.text} {' '.join(words.split())}".strip()
    if isinstance(node, Binary):
        matching = node.matching
        words = expression.parsed.text[matching.start : matching.end] if matching else ""
        return f"{node.operator.text} {' '.join(words.split())}".strip()
    return f"{node.name}()" if isinstance(node, Call) else expression.text(node)


def _hint(expression: Expression, use: Use, node: Node) -> str:
    if isinstance(node, Aggregate) and node.by is not None:
        labels = ", ".join((*node.by, workloads(expression, use.label, node.expr)))
        return f"aggregate by ({labels})"
    if isinstance(node, Aggregate):
        return f"remove '{use.label}' from 'without'"
    if isinstance(node, Call):
        return f"'{node.name}' only has the labels of '=' matchers" if "absent" in node.name else ""
    return f"keep '{use.label}' in the join below"
