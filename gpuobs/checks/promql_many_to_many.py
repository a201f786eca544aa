"""A join in which a side has several series for one match.

One to one, each side must have one series for the labels that are matched; with `group_left` the
right side must. Else Prometheus fails the whole rule when it evaluates it, for every series, and
no test on a small fleet shows it. Metrics of kube-state-metrics exist twice as soon as it runs
twice, so an aggregation belongs around the `one` side.

Bad:

```yaml
rules:
  - record: gpu:temperature:difference
    expr: DCGM_FI_DEV_MEMORY_TEMP - on (Hostname) DCGM_FI_DEV_GPU_TEMP
    unit: celsius
```

Good:

```yaml
rules:
  - record: gpu:temperature:difference
    expr: DCGM_FI_DEV_MEMORY_TEMP - on (Hostname) group_left () max by (Hostname) (DCGM_FI_DEV_GPU_TEMP)
    unit: celsius
```
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gpuobs.checks._joins import OF_TARGET, Join, Side, joins, repeated, selected
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql import nodes
from gpuobs.promql.nodes import Binary
from gpuobs.promql.operands import COMPARISONS
from gpuobs.promql.shapes import FILTERED

CODE = "promql/many-to-many"
SEVERITY = "error"
# How kube-state-metrics names what has the value 1.
_INFO = ("_info", "_labels", "_annotations", "_owner")


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for join in joins(expression):
            if join.is_set or join.node.matching is None or join.apart:
                continue
            if join.one is None:
                yield from _one_to_one(expression, join)
            else:
                yield from _one(expression, join, join.one)


def _one_to_one(expression: Expression, join: Join) -> Iterator[Diagnostic]:
    left, right = repeated(expression, join.left), repeated(expression, join.right)
    for side, found in ((join.left, left), (join.right, right)):
        if found is not None:
            hint = _more(expression, join) or _aggregate(expression, join, side)
            if left is None or right is None:
                group = "group_left" if left is not None else "group_right"
                hint = f"say that this side may repeat: {_written(expression, join)} {group} ()"
            yield expression.counted(side.node, CODE, _message(expression, join, side, found), hint)
            return
    for side in (join.left, join.right):
        label = _enumerates(expression, join, side)
        if label:
            yield expression.warning(side.node, CODE, *_each(expression, join, side, label))


def _more(expression: Expression, join: Join) -> str:
    """A match on one label more that both sides have, with which neither repeats."""
    on = join.on or ()
    for label in sorted({*join.common} - {*on}, key=lambda label: (len(label), label)):
        keyed = (replace(s, key=s.shape.labels.keep((*on, label))) for s in (join.left, join.right))
        if join.on is not None and not any(repeated(expression, side) for side in keyed):
            return f"match on more: {join.node.operator.text} on ({', '.join((*on, label))})"
    return ""


def _one(expression: Expression, join: Join, one: Side) -> Iterator[Diagnostic]:
    hint = _aggregate(expression, join, one)
    found = repeated(expression, one)
    if found is not None:
        yield expression.counted(one.node, CODE, _message(expression, join, one, found), hint)
        return
    text, label = expression.text(one.node), _enumerates(expression, join, one)
    if label:
        yield expression.warning(one.node, CODE, *_each(expression, join, one, label))
    elif _may_be_there_twice(expression, join, one):
        message = f"'{text}' is there twice when its exporter runs twice"
        yield expression.warning(one.node, CODE, message, hint)
    elif _is_left_several_times(expression, one):
        message = (
            f"'{text}' can leave several series for one match, and the rule fails when it does"
        )
        yield expression.warning(one.node, CODE, message, hint)


def _is_left_several_times(expression: Expression, one: Side) -> bool:
    """Whether a comparison takes some of series that repeat."""
    node = nodes.bare(one.node)
    if not isinstance(node, Binary) or node.name not in COMPARISONS:
        return False
    if nodes.constant(node.rhs) is None:
        return False
    whole = replace(one, node=node.lhs, shape=expression.analysis[node.lhs])
    return repeated(expression, whole) is not None


def _enumerates(expression: Expression, join: Join, side: Side) -> str:
    """A label outside the match of which the exporter writes each value at the same time."""
    select, labels = selected(side.node), side.shape.labels
    name = select.selector.name if select is not None else ""
    metric = expression.world.metric(name) if name not in expression.program.records else None
    if metric is None or labels.open or FILTERED in side.shape.traits or join.on is None:
        return ""
    matched = OF_TARGET | frozenset(join.on)
    listed = labels.certain & frozenset(metric.labels.values) - matched
    return next((label for label in sorted(listed) if len(labels.values[label]) > 1), "")


def _may_be_there_twice(expression: Expression, join: Join, one: Side) -> bool:
    """An info metric as it is scraped, matched without what tells targets apart."""
    select = selected(one.node)
    if select is None or join.on is None or "instance" in join.on:
        return False
    name = select.selector.name
    policy = expression.program.policy
    assert policy is not None
    if name in policy.known:
        return policy.known[name][0].kind == "info"
    return name.startswith("kube_") and name.endswith(_INFO)


def _each(expression: Expression, join: Join, side: Side, label: str) -> tuple[str, str]:
    message = (
        f"'{expression.text(side.node)}' has a series for each '{label}', which is not matched"
    )
    hint = f"pick one with a matcher on '{label}', or {_aggregate(expression, join, side)}"
    return message, hint


def _message(expression: Expression, join: Join, side: Side, found: tuple[int, int]) -> str:
    total, key = found
    per = f"{key} match{'es' if key > 1 else ''}"
    return f"'{expression.text(side.node)}' has {total} series for {per} of '{_written(expression, join)}'"


def _written(expression: Expression, join: Join) -> str:
    assert join.node.matching is not None
    matching = expression.parsed.text[join.node.matching.start : join.node.matching.end]
    return f"{join.node.operator.text} {' '.join(matching.split())}"


def _aggregate(expression: Expression, join: Join, side: Side) -> str:
    included = join.node.group.names if join.node.group is not None else ()
    labels = ", ".join((*_matched(join, side), *included))
    by = f" by ({labels}) " if labels else ""
    return f"max{by}({expression.text(nodes.bare(side.node))})"


def _matched(join: Join, side: Side) -> tuple[str, ...]:
    return join.on if join.on is not None else tuple(sorted(side.key.certain))
