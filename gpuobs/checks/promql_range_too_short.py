"""A range that holds too few samples for its function.

rate(), increase(), delta() and their like need two samples. A range of one scrape interval holds
two only when they fall on both of its ends, and since Prometheus 3.0, where the left end does not
belong to it, never: the result is empty, most of the time or always. Under two intervals it is an
error. Under four it is a warning, for one scrape that fails or comes late leaves a gap; irate(),
idelta(), changes() and resets() do with two.

The interval is the fleet's `scrapeInterval` for what GPU exporters write, that of the group for
what rules record, and the step for subqueries.

Bad:

```yaml
rules:
  - record: gpu:pcie_replays:rate15s
    expr: rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[15s])
    unit: events
```

Good:

```yaml
rules:
  - record: gpu:pcie_replays:rate1m
    expr: rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[1m])
    unit: events
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._intervals import Range, ranges
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql.nodes import Subquery
from gpuobs.spec.scalars import duration

CODE = "promql/range-too-short"
SEVERITY = "error"

_TWO = frozenset({"irate", "idelta", "changes", "resets"})
_MORE = frozenset({"rate", "increase", "delta", "deriv", "predict_linear", "holt_winters"})
NEEDING_TWO = _TWO | _MORE


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for each in ranges(expression):
            if each.function in NEEDING_TWO and each.window.seconds < 2 * each.every:
                yield expression.error(each.at, CODE, _too_short(expression, each), _hint(each))
            elif each.function in _MORE and each.window.seconds < 4 * each.every:
                message = (
                    f"a range of {duration(each.window.seconds)} over samples every "
                    f"{duration(each.every)} has a gap when one is late or missing"
                )
                yield expression.warning(each.at, CODE, message, _hint(each))


def _too_short(expression: Expression, each: Range) -> str:
    never = expression.program.version >= (3, 0) and each.window.seconds <= each.every
    when = "never" if never or each.window.seconds < each.every else "seldom"
    return (
        f"{each.function}() needs two samples, and a range of {duration(each.window.seconds)} over "
        f"samples every {duration(each.every)} {when} holds them"
    )


def _hint(each: Range) -> str:
    if isinstance(each.node, Subquery):
        return f"a step of {duration(each.window.seconds / 4)} or less, or a longer range"
    return f"[{duration(4 * each.every)}] or more"
