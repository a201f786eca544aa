"""A name that says another unit than the rule gives.

A reader of `...:watts` plots watts. The unit comes from the catalogs, through the whole expression.

Bad:

```yaml
rules:
  - record: node:power_mean:watts
    expr: sum by (Hostname) (rate(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[5m]))
    unit: ''
```

Good:

```yaml
rules:
  - record: node:power_mean:watts
    expr: sum by (Hostname) (rate(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[5m])) / 1000
    unit: watts
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuobs.checks._factors import wrong
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program, RecordingRule
from gpuobs.promql import units
from gpuobs.promql.units import PER_SECOND, Unit

CODE = "rule/unit-in-name"
SEVERITY = "error"

# Words of a name that say a unit, the longest first.
_WORDS = {
    "bytes_per_second": "bytes-per-second",
    "milliseconds": "milliseconds",
    "microseconds": "microseconds",
    "nanoseconds": "nanoseconds",
    "millijoules": "millijoules",
    "percentage": "percent",
    "mebibytes": "mebibytes",
    "megabytes": "megabytes",
    "megahertz": "megahertz",
    "celsius": "celsius",
    "seconds": "seconds",
    "percent": "percent",
    "joules": "joules",
    "hertz": "hertz",
    "bytes": "bytes",
    "watts": "watts",
    "ratio": "ratio",
    "mib": "mebibytes",
    "volts": "volts",
}
_WORD = re.compile(rf"(?:^|[:_])({'|'.join(_WORDS)})(?=$|[:_0-9])")
_RATED = re.compile(r"i?rate(?:[0-9]+(?:ms|[smhdwy]))?(?=$|[:_])")


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        rule, have = expression.rule, expression.result.unit
        if isinstance(rule, RecordingRule) and have is not None and not have.count:
            yield from _named(expression, rule, have)


def _named(expression: Expression, rule: RecordingRule, have: Unit) -> Iterator[Diagnostic]:
    words = _WORD.findall(rule.record)
    wanted = units.named(_WORDS[words[-1]]) if words else None
    if wanted is None or have.fits(wanted):
        return
    if _is_told_elsewhere(expression, rule, have):
        return
    if _RATED.search(rule.record) and have.fits(wanted.times(PER_SECOND)):
        return
    message = f"'{rule.record}' says {words[-1]}, and this is in {have}"
    factor = units.conversion(have, wanted)
    hint = (
        "take another name"
        if factor is None
        else f"write '({expression.text(expression.parsed.tree)}) {units.spelt(factor)}'"
    )
    yield expression.error(expression.parsed.tree, CODE, message, hint)


def _is_told_elsewhere(expression: Expression, rule: RecordingRule, have: Unit) -> bool:
    """Whether it is the factor that is wrong, or the unit that the rule gives beside its name."""
    declared = units.named(rule.unit)
    return (declared is not None and not have.fits(declared)) or any(wrong(expression))
