"""A regular expression that a plain match says better.

`=~"abc"` is `="abc"`: a pattern is always held against the whole value. `=~".*"` matches every
series, also those without the label. Both read as if they chose more, or less, than they do.

Bad:

```yaml
rules:
  - record: node:temperature:hottest
    expr: max by (Hostname) (DCGM_FI_DEV_GPU_TEMP{gpu=~"^0$"})
    unit: celsius
```

Good:

```yaml
rules:
  - record: node:temperature:hottest
    expr: max by (Hostname) (DCGM_FI_DEV_GPU_TEMP{gpu="0"})
    unit: celsius
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuobs.checks._models import no_model
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql import Matcher, selectors

CODE = "promql/regex-unneeded"
SEVERITY = "warning"
_LITERAL = re.compile(r"\^?((?:[A-Za-z0-9_:/@ ,=;<>!%&#~-]|\\\.)+)\$?")
_ADDRESS = re.compile(r"\^?(\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?)\$?")


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for selector in selectors(expression.parsed):
            for matcher in selector.matchers:
                known = no_model(expression, selector, matcher) is None
                if matcher.op in ("=~", "!~") and known:
                    yield from _unneeded(expression, matcher)


def _unneeded(expression: Expression, matcher: Matcher) -> Iterator[Diagnostic]:
    at = matcher.value_start, matcher.value_end
    literal = _LITERAL.fullmatch(matcher.value) or _ADDRESS.fullmatch(matcher.value)
    if literal is not None:
        value = literal[1].replace("\\.", ".")
        plain = "=" if matcher.op == "=~" else "!="
        message = f"'{matcher.value}' is one value and no pattern"
        hint = f'write {matcher.label}{plain}"{value}"'
        if literal[0] == literal[1]:
            hint += f', or {matcher.label}{matcher.op}".*{value}.*" for every value with it'
        yield expression.warning(at, CODE, message, hint)
    elif matcher.op == "=~" and matcher.value == ".*":
        message = f"'.*' matches every series, also those without '{matcher.label}'"
        hint = f'remove it, or write {matcher.label}!="" for those with the label'
        yield expression.warning(at, CODE, message, hint)
