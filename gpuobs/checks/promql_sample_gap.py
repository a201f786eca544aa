"""A range without samples.

Prometheus has no samples from before its retention, `storage.warm` of the fleet; recorded series are
left alone where there is a long-term store to read them from. And a range that is shorter than the
time between two samples holds none at most evaluations.

Bad:

```yaml
rules:
  - record: gpu:temperature:max30s
    expr: max_over_time(gpu:temperature:max5m[30s])
    unit: celsius
```

Good:

```yaml
rules:
  - record: gpu:temperature:max10m
    expr: max_over_time(gpu:temperature:max5m[10m])
    unit: celsius
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._intervals import ranges
from gpuobs.checks._values import named
from gpuobs.checks.promql_range_too_short import NEEDING_TWO
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql.nodes import Select, Subquery
from gpuobs.spec.scalars import duration

CODE = "promql/sample-gap"
SEVERITY = "warning"

_DAY = 86400


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        yield from _beyond_retention(expression)
        for each in ranges(expression):
            if each.function not in NEEDING_TWO and each.window.seconds < each.every:
                message = (
                    f"a range of {duration(each.window.seconds)} over samples every "
                    f"{duration(each.every)} holds none at most evaluations"
                )
                yield expression.warning(
                    each.at, CODE, message, f"[{duration(2 * each.every)}] or more"
                )


def _beyond_retention(expression: Expression) -> Iterator[Diagnostic]:
    policy = expression.program.policy
    storage = policy.fleet.storage if policy is not None else None
    if storage is None:
        return
    kept = storage.warm.seconds
    has_more = storage.long_term is not None and storage.long_term.kind != "none"
    for node in expression.analysis.of(Select):
        back = _reaches_back(expression, node)
        if back > kept and not (has_more and node.selector.name in expression.program.records):
            message = (
                f"'{named(expression, node)}' is read {back / _DAY:g}d back, and Prometheus keeps "
                f"{kept / _DAY:g}d of it"
            )
            hint = "record it over a shorter time, and read the record"
            yield expression.warning(node, CODE, message, hint)


def _reaches_back(expression: Expression, node: Select) -> float:
    """Seconds from now to the oldest sample, beyond the lookback; 0 where '@' fixes the time."""
    around = expression.analysis.ancestors(node)
    parts: list[Select | Subquery] = [node, *(e for e in around if isinstance(e, Subquery))]
    if any(part.at for part in parts):
        return 0
    windows = sum(part.window.seconds for part in parts if part.window is not None)
    return windows + sum(part.offset or 0 for part in parts)
