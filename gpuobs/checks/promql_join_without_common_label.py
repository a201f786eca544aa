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

from collections.abc import Iterator

from gpuobs.checks._joins import OF_TARGET, Join, absences, joins, listed
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import expressions
from gpuobs.ir import Program
from gpuobs.promql.labelset import Labels

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
                yield expression.error(join.node, CODE, _message(join, apart), _hint(join))


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


def _hint(join: Join) -> str:
    """A match on what both have, if that says more than where they are scraped."""
    if not (frozenset(join.common) - OF_TARGET or join.left.single or join.right.single):
        return ""
    on = f"{join.node.operator.text} on ({', '.join(join.common)})"
    if join.is_set:
        return f"match on what both have: {on}"
    left, right = len(join.left.shape.labels.possible), len(join.right.shape.labels.possible)
    return f"match on what both have: {on} {'group_left' if left > right else 'group_right'} ()"
