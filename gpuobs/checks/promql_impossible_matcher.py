"""A matcher on something that the fleet does not have, or that another matcher excludes.

No series can have such a label value, so the expression selects nothing and its alert can never
fire. Most often a cluster or a pool was renamed or removed.

Bad:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85, match: {pool: [h200]}}
    summary: GPU {{ $labels.gpu }} is hot
```

Good:

```yaml
alerts:
  - name: GpuHot
    tier: info
    when: {signal: temperature, level: gpu, reduce: max, window: 5m, above: 85, match: {pool: [h100]}}
    summary: GPU {{ $labels.gpu }} is hot
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

from gpuobs.checks._models import no_model
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.nearest import did_you_mean
from gpuobs.promql import Matcher, Selector, re2, selectors
from gpuobs.promql.labelset import NAME, OPEN, Labels, alternatives

CODE = "promql/impossible-matcher"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        for selector in selectors(expression.parsed):
            named = (matcher for matcher in selector.matchers if matcher.label != NAME)
            ordered = sorted(named, key=lambda matcher: matcher.label)
            for label, group in groupby(ordered, key=lambda matcher: matcher.label):
                yield from _impossible(expression, selector, label, tuple(group))


def _impossible(
    expression: Expression, selector: Selector, label: str, matchers: tuple[Matcher, ...]
) -> Iterator[Diagnostic]:
    for matcher in matchers:
        if matcher.op == "!~" and matcher.value == ".*":
            at = matcher.label_start, matcher.value_end
            yield expression.warning(
                at, CODE, "'.*' matches every value: nothing is left", "remove it"
            )
            return
    shape = expression.world.metric(selector.name) if selector.name else None
    labels = shape.labels if shape is not None else OPEN
    known = _values(labels, label)
    if known is not None:
        for matcher in matchers:
            if not any(_accepts(matcher, value) for value in known):
                yield _unknown(expression, matcher, known - {""})
                return
    for matcher in matchers:
        models = no_model(expression, selector, matcher)
        if models is not None:
            yield _no_model(expression, matcher, models)
            return
    wanted = _wanted(matchers)
    pattern = _pattern(expression, selector, label)
    if wanted and pattern and not any(pattern.fullmatch(value) for value in wanted if value):
        yield _misspelt(expression, matchers[0], pattern)
        return
    if wanted is not None and len(matchers) > 1:
        left = [value for value in wanted if all(_accepts(each, value) for each in matchers)]
        if not left and labels.can_have(label):
            at = matchers[0].label_start, matchers[-1].value_end
            message = f"no value of '{label}' meets all of these matchers"
            yield expression.error(at, CODE, message, "remove one of them")


def _pattern(expression: Expression, selector: Selector, label: str) -> re.Pattern[str] | None:
    """What every value of a label looks like, if a catalog says so; a series without it has the empty value."""
    policy = expression.program.policy
    assert policy is not None
    collected = policy.collected.get(selector.name)
    if collected is None or selector.name in expression.program.records:
        return None
    renames = collected.exporter.renames
    patterns = {renames.get(k, k): v for k, v in collected.metric.patterns.items()}
    return _compiled(patterns[label]) if label in patterns else None


@lru_cache
def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern, re.ASCII)
    except re.error:
        return None


def _misspelt(expression: Expression, matcher: Matcher, pattern: re.Pattern[str]) -> Diagnostic:
    message = f"no series has {matcher.label}{matcher.op}'{matcher.value}': its values are of the form {pattern.pattern}"
    at = matcher.value_start, matcher.value_end
    plain = re.sub(r"[^A-Za-z0-9_]", "_", matcher.value)
    meant = matcher.op == "=" and pattern.fullmatch(plain)
    return expression.error(at, CODE, message, f'write {matcher.label}="{plain}"' if meant else "")


def _values(labels: Labels, label: str) -> frozenset[str] | None:
    """The values of a label on a metric's series, with the empty one where it may be missing."""
    if label not in labels.values:
        return None
    return labels.values[label] if label in labels.certain else labels.values[label] | {""}


def _unknown(expression: Expression, matcher: Matcher, known: frozenset[str]) -> Diagnostic:
    message = f"no series has {matcher.label}{matcher.op}'{matcher.value}'"
    at = matcher.value_start, matcher.value_end
    return expression.error(at, CODE, message, did_you_mean(matcher.value, known))


def _no_model(expression: Expression, matcher: Matcher, models: frozenset[str]) -> Diagnostic:
    message = f"no GPU of this fleet has {matcher.label}{matcher.op}'{matcher.value}'"
    hint = did_you_mean(matcher.value, models)
    if any(matcher.value in model for model in models):
        hint = f'a pattern is held against the whole value: {matcher.label}=~".*{matcher.value}.*"'
    at = matcher.value_start, matcher.value_end
    return expression.warning(at, CODE, message, hint)


def _wanted(matchers: tuple[Matcher, ...]) -> frozenset[str] | None:
    """Values of which one must be met."""
    for matcher in matchers:
        if matcher.op == "=":
            return frozenset((matcher.value,))
        if matcher.op == "=~" and (values := alternatives(matcher.value)) is not None:
            return values
    return None


def _accepts(matcher: Matcher, value: str) -> bool:
    """Whether a matcher takes a value, or may: not every pattern can be read here."""
    if matcher.op in ("=", "!="):
        return (matcher.value == value) == (matcher.op == "=")
    pattern = re2.anchored(matcher.value)
    return pattern is None or (pattern.fullmatch(value) is not None) == (matcher.op == "=~")
