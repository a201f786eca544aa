"""A regular expression that does not say what it looks like.

A `|` at the end adds the empty value: series without the label come in, which are idle GPUs where
the label is a pod's. `node-*` is a shell's pattern: as a regular expression it repeats the hyphen.
`^` and `$` do nothing, since a pattern is always held against the whole value.

Bad:

```yaml
rules:
  - record: namespace:gpu_temperature:max
    expr: max by (exported_namespace) (DCGM_FI_DEV_GPU_TEMP{exported_namespace=~"train|infer|"})
    unit: celsius
```

Good:

```yaml
rules:
  - record: namespace:gpu_temperature:max
    expr: max by (exported_namespace) (DCGM_FI_DEV_GPU_TEMP{exported_namespace=~"train|infer"})
    unit: celsius
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import expressions
from gpuobs.ir import Program
from gpuobs.promql import Matcher, selectors

CODE = "promql/regex-broken"
SEVERITY = "warning"
# Several values of which one is empty; one value and the empty one is how "this, or unset" is written.
_EMPTY = re.compile(r"(?P<before>\(?[^|()]+(?:\|[^|()]+)+)\|\|?\)?|.*[^|\\]\|\|[^|].*")
_GLOB = re.compile(r"(?:[A-Za-z0-9_:/-]|\|)*[A-Za-z0-9_:/-]\*(?:\|[A-Za-z0-9_:/-]+\*?)*")
_ANCHORED = re.compile(r"\^(?P<start>[^|]*)|(?P<end>[^|]*[^|\\])\$")


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for selector in selectors(expression.parsed):
            for matcher in selector.matchers:
                found = _broken(matcher) if matcher.op in ("=~", "!~") else None
                if found is not None:
                    at = matcher.value_start, matcher.value_end
                    yield expression.warning(at, CODE, *found)


def _broken(matcher: Matcher) -> tuple[str, str] | None:
    """What is wrong with a pattern, and what to write."""
    pattern = matcher.value
    if _EMPTY.fullmatch(pattern):
        does = "matches" if matcher.op == "=~" else "leaves out"
        message = f"an empty alternative also {does} series without '{matcher.label}'"
        kept = "|".join(part for part in pattern.split("|") if part not in ("", ")"))
        kept += ")" if pattern.startswith("(") and not kept.endswith(")") else ""
        return message, f'write {matcher.label}{matcher.op}"{kept}"'
    if _GLOB.fullmatch(pattern):
        place = pattern.index("*")
        message = f"'*' repeats the '{pattern[place - 1]}' before it, and stands for no other text"
        return message, f'write {matcher.label}{matcher.op}"{pattern.replace("*", ".*")}"'
    if _ANCHORED.fullmatch(pattern) and not _is_plain(pattern):
        message = "'^' and '$' do nothing: a pattern is held against the whole value"
        kept = pattern.removeprefix("^").removesuffix("$")
        return message, f'write {matcher.label}{matcher.op}"{kept}"'
    return None


def _is_plain(pattern: str) -> bool:
    """Whether it is one value, of which another check tells."""
    return (
        re.fullmatch(r"\^?(?:[A-Za-z0-9_:/@ ,=;<>!%&#~-]|\\\.|\d\.(?=\d))*\$?", pattern) is not None
    )
