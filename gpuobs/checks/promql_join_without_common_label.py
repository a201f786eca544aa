"""Two sides of a join whose labels never agree.

Without `on` or `ignoring` series match where all their labels are equal. A label that only one
side has, or that has other values there, leaves no pair: the result is empty for ever, and
`unless` takes nothing away.

Bad:

```yaml
rules:
  - record: gpu:power:share
    expr: DCGM_FI_DEV_POWER_USAGE / sum by (Hostname) (DCGM_FI_DEV_POWER_USAGE)
    unit: ratio
```

Good:

```yaml
rules:
  - record: gpu:power:share
    expr: DCGM_FI_DEV_POWER_USAGE / on (Hostname) group_left () sum by (Hostname) (DCGM_FI_DEV_POWER_USAGE)
    unit: ratio
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuobs import names
from gpuobs.checks._joins import OF_TARGET, Join, absences, joins, listed, means
from gpuobs.checks._labels import removed_by
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql import nodes
from gpuobs.promql.labelset import Labels
from gpuobs.promql.nodes import Aggregate

CODE = "promql/join-without-common-label"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for join in joins(expression):
            apart = join.apart if join.node.name != "or" else ()
            if not apart or any(any(absences(side.node)) for side in (join.left, join.right)):
                continue
            # A label of `on` that a side cannot have is told where it stands.
            if all(_both(join, label) for label in apart if join.on is not None):
                yield expression.error(
                    join.node, CODE, _message(join, apart), _hint(expression, join)
                )


def _both(join: Join, label: str) -> bool:
    return join.left.shape.labels.can_have(label) and join.right.shape.labels.can_have(label)


def _message(join: Join, apart: tuple[str, ...]) -> str:
    left, right = join.left.shape.labels, join.right.shape.labels
    sided = [
        f"only the {name} side has {listed(only)}"
        for name, other in (("left", right), ("right", left))
        if (only := tuple(label for label in apart if not other.can_have(label)))
    ]
    unequal = [_values(label, left, right) for label in apart if _both(join, label)]
    reasons = ", ".join((*sided, *unequal))
    return f"the two sides of '{join.node.operator.text}' never match: {reasons}"


def _values(label: str, left: Labels, right: Labels) -> str:
    ours, theirs = ("|".join(sorted(side.values[label])) for side in (left, right))
    return f"'{label}' is '{ours}' on the left and '{theirs}' on the right"


def _hint(expression: Expression, join: Join) -> str:
    """A match on what both have, if that says more than where they are scraped."""
    ours, theirs = (means(expression, side.shape) for side in (join.left, join.right))
    renames = {
        theirs[each]: ours[each] for each in ours if each in theirs and ours[each] != theirs[each]
    }
    renames = {old: new for old, new in renames.items() if new not in join.common}
    on = tuple(sorted({*join.common, *renames.values()}))
    if not (frozenset(on) - OF_TARGET or join.left.single or join.right.single):
        return ""
    if _is_index_alone(ours, on):
        return _kept(expression, join, ours, theirs)
    spelt = f"{join.node.operator.text} on ({', '.join(on)})"
    if not join.is_set:
        left, right = len(join.left.shape.labels.possible), len(join.right.shape.labels.possible)
        spelt += f" {'group_left' if left > right else 'group_right'} ()"
    if renames:
        return f"give them one name: {spelt} {_renamed(expression.text(join.right.node), renames)}"
    return f"match on what both have: {spelt}"


def _is_index_alone(ours: Mapping[str, str], on: tuple[str, ...]) -> bool:
    """Whether a match would be on the index of a GPU, which every node has."""
    matched = {meant for meant, label in ours.items() if label in on}
    return names.GPU in matched and matched.isdisjoint((names.NODE, names.GPU_UUID))


def _renamed(text: str, renames: Mapping[str, str]) -> str:
    for old, new in renames.items():
        text = f'label_replace({text}, "{new}", "$1", "{old}", "(.*)")'
    return text


def _kept(
    expression: Expression, join: Join, ours: Mapping[str, str], theirs: Mapping[str, str]
) -> str:
    """The side that lost the node, aggregated with it."""
    for side, other in ((join.right, ours), (join.left, theirs)):
        label = other.get(names.NODE, "")
        node = removed_by(expression, label, side.node) if label else None
        if isinstance(node, Aggregate) and node.by is not None:
            by = ", ".join((label, *node.by))
            text = expression.text(nodes.bare(node.expr))
            return f"keep '{label}' on both sides: {node.function.text} by ({by}) ({text})"
    return ""
