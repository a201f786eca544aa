"""An alert without a condition, or with two.

`when` and `expr`, `above` and `below`: exactly one of each pair. An `expr` must leave series out: an alert fires for
every series of its result, whatever the values are. `X`, `X > bool 85` and `X or Y > 85` fire for every GPU.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot
    expr: up == 0
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85}
    summary: GPU {{ $labels.gpu }} is hot
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs import names
from gpuobs.checks._rules import accepts
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.policy import Collected, Policy
from gpuobs.promql import Selector, nodes
from gpuobs.promql.functions import FUNCTIONS, MATRIX, VECTOR
from gpuobs.promql.nodes import Aggregate, Binary, Call, Node, Paren, Select, Subquery, Unary
from gpuobs.promql.operands import COMPARISONS, SETS

CODE = "alert/no-condition"
SEVERITY = "error"
# Kinds of metrics that every GPU has all the time; numbers by another label may only be there after an event.
_CODES = frozenset({"code", "latched-code", "bitmask", "boolean"})
_NUMBERS = frozenset({"gauge", "counter"})


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        if expression.alert is None:
            continue
        for node in _unfiltered(expression, expression.parsed.tree):
            message = f"'{expression.text(node)}' has no condition: the alert fires "
            message += "always" if _is_constant(node) else "for every series of it"
            yield expression.error(node, CODE, message, _hint(expression, node))


def _unfiltered(expression: Expression, node: Node) -> Iterator[Node]:
    """The branches of a condition from which nothing is left out, each once."""
    node = nodes.bare(node)
    if isinstance(node, Binary) and node.name == "or":
        for side in (nodes.bare(node.lhs), nodes.bare(node.rhs)):
            if _is_constant(side):
                yield side
            else:
                yield from _unfiltered(expression, side)
    elif _is_whole(expression, node):
        yield node


def _is_whole(expression: Expression, node: Node) -> bool:
    """Whether a node has a series for each GPU or target, whatever the values are."""
    if isinstance(node, Select):
        return _is_everywhere(expression, node)
    if isinstance(node, Paren | Unary | Subquery | Aggregate):
        return _is_whole(expression, node.expr)
    if isinstance(node, Call):
        types = zip(node.args, FUNCTIONS[node.name].arguments, strict=False)
        series = [argument for argument, type_ in types if type_ in (VECTOR, MATRIX)]
        absent = FUNCTIONS[node.name].labels == "absent"
        return bool(series) and not absent and _is_whole(expression, series[0])
    if not isinstance(node, Binary) or node.name in SETS:
        return False
    if node.name in COMPARISONS and not node.bool:
        return False
    sides = [side for side in (node.lhs, node.rhs) if nodes.constant(side) is None]
    return bool(sides) and all(_is_whole(expression, side) for side in sides)


def _is_everywhere(expression: Expression, node: Select) -> bool:
    """Whether a metric is one of the GPU or the target itself, and no matcher can pick those in some state."""
    policy = expression.program.policy
    assert policy is not None
    name = node.selector.name
    collected = policy.collected.get(name)
    if name in expression.program.records:
        return False
    if collected is None or name == "up":
        return name == "up"
    kind, of_device = collected.metric.kind, collected.exporter.catalog.vendor != ""
    constant = kind in _CODES or (kind in _NUMBERS and not collected.metric.labels)
    matched = {matcher.label for matcher in node.selector.matchers}
    return (
        constant
        and of_device
        and matched <= policy.always(collected)
        and not _is_unforeseen(policy, collected, node.selector)
    )


def _is_unforeseen(policy: Policy, collected: Collected, selector: Selector) -> bool:
    """Whether the matchers leave out all MIG profiles that the pools have: what is left is what nobody meant."""
    exporter = collected.exporter
    label = exporter.label(names.MIG_PROFILE)
    wanted = [matcher for matcher in selector.matchers if matcher.label == label]
    profiles = {
        str(profile)
        for cluster, pool, model in policy.pools
        if model.vendor == exporter.catalog.vendor
        and all(
            accepts(matcher, str(value))
            for name, value in ((names.CLUSTER, cluster.name), (names.POOL, pool.name))
            for matcher in selector.matchers
            if matcher.label == (exporter.label(name) or name)
        )
        for profile in pool.mig
    }
    return bool(wanted and profiles) and not any(
        all(accepts(matcher, profile) for matcher in wanted) for profile in profiles
    )


def _is_constant(node: Node) -> bool:
    return isinstance(node, Call) and node.name == "vector"


def _hint(expression: Expression, node: Node) -> str:
    if _is_constant(node):
        return "remove this branch: an alert without a series does not fire"
    if isinstance(node, Binary) and node.bool:
        start = node.operator.start - node.start
        text = expression.parsed.text[node.start : node.end]
        return " ".join((text[:start] + text[start:].replace("bool", "", 1)).split())
    around = expression.analysis.parents.get(node)
    if isinstance(around, Binary) and nodes.bare(around.rhs) is not node:
        right = nodes.bare(around.rhs)
        if isinstance(right, Binary) and right.name in COMPARISONS:
            limit = f"{right.operator.text} {expression.text(right.rhs)}"
            first = f"{expression.text(around.lhs)} {limit}"
            return f"a comparison binds closer than 'or': {first} or {expression.text(right)}"
    up = isinstance(node, Select) and node.selector.name == "up"
    kind = expression.analysis[node].kind
    if kind in _CODES - {"boolean"}:
        return "say which values it is about"
    limit = "> 0" if kind == "boolean" else "> 85"
    return f"compare it with a threshold, such as '{'== 0' if up else limit}'"
