"""A template that names a label the alert cannot have.

Prometheus renders an unknown label as an empty text. The person who is woken reads 'GPU  on  is
hot'. Most often an aggregation took the label away.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: ticket
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    for: 10m
    summary: GPU {{ $labels.gpu }} on {{ $labels.nod }} is hot
    description: It slows down soon.
    runbook: {impact: Jobs slow down., diagnose: [nvidia-smi -q -d TEMPERATURE], fix: [Check the fans.]}
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: ticket
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    for: 10m
    summary: GPU {{ $labels.gpu }} on {{ $labels.node }} is hot
    description: It slows down soon.
    runbook: {impact: Jobs slow down., diagnose: [nvidia-smi -q -d TEMPERATURE], fix: [Check the fans.]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import names, templates
from gpuobs.checks._labels import removed_by
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.expressions import Expression, expressions, result
from gpuobs.ir import AlertingRule, Program
from gpuobs.nearest import did_you_mean
from gpuobs.promql import nodes, selectors
from gpuobs.promql.labelset import NAME
from gpuobs.promql.nodes import Aggregate, Binary, Call, Node
from gpuobs.promql.shapes import Shape
from gpuobs.spec.document import place

CODE = "alert/template-label"
SEVERITY = "error"
_VARIABLE = "$labels."


def check(program: Program) -> Iterator[Diagnostic]:
    written = {id(expression.rule): expression for expression in expressions(program)}
    for rule in program.alerting:
        expression = written.get(id(rule))
        shape = expression.result if expression is not None else result(program, rule)
        if shape is not None:
            yield from _unknown(rule, shape, expression)


def _unknown(
    rule: AlertingRule, shape: Shape, expression: Expression | None
) -> Iterator[Diagnostic]:
    for (part, _), node in rule.templates():
        for use in templates.read(node.value).labels:
            added = rule.labels if part == "annotations" else ()
            if shape.labels.can_have(use.name) or use.name in {NAME, *added}:
                continue
            tree = expression.parsed.tree if expression is not None else None
            if tree is None or not expression.is_added(use.name, tree):  # type: ignore[union-attr]
                message = f"the series of this alert have no label '{use.name}'"
                span = place(node, use.start - len(_VARIABLE), use.end)
                hint = _hint(expression, use.name) if expression is not None else ""
                hint = hint or did_you_mean(use.name, shape.labels.possible)
                yield error(span, CODE, message, hint)


def _hint(expression: Expression, label: str) -> str:
    """Where to keep the label, or what this exporter calls it."""
    kept = _kept(expression, label)
    policy = expression.program.policy
    if kept or policy is None or label not in names.CANONICAL_LABELS:
        return kept
    found = (policy.collected.get(each.name) for each in selectors(expression.parsed))
    labels = [each.exporter.label(label) for each in found if each is not None]
    called = labels[0] if labels else None
    return f"this exporter calls it '{called}'" if called and called != label else ""


def _kept(expression: Expression, label: str) -> str:
    """What keeps a label that the expression takes away."""
    node = removed_by(expression, label, expression.parsed.tree)
    if isinstance(node, Aggregate) and node.by is not None:
        by = ", ".join((*node.by, label))
        return f"keep it: {node.function.text} by ({by}) {_operand(expression, node)}"
    if isinstance(node, Aggregate):
        return f"remove '{label}' from 'without'"
    if isinstance(node, Binary) and node.matching is not None and node.group is None:
        matching = expression.parsed.text[node.matching.start : node.matching.end]
        left = expression.analysis[node.lhs].labels.can_have(label)
        return f"keep it: {node.operator.text} {matching} group_left ({'' if left else label})"
    if isinstance(node, Call) and node.name in ("absent", "absent_over_time"):
        name = next((n.selector.name for n in nodes.walk(node) if isinstance(n, nodes.Select)), "")
        return f"absent() tells of all series together; for each {label}: {name} offset 15m unless {name}"
    return ""


def _operand(expression: Expression, node: Node) -> str:
    """The aggregated expression in brackets, if it is short."""
    assert isinstance(node, Aggregate)
    text = expression.text(nodes.bare(node.expr))
    return f"({text})" if len(text) <= 60 else "(...)"
