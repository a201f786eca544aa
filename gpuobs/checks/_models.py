"""The names that exporters give to GPU models, and matchers that meet none of them."""

from __future__ import annotations

from gpuobs import names
from gpuobs.expressions import Expression
from gpuobs.promql import Matcher, Selector, re2


def no_model(expression: Expression, selector: Selector, matcher: Matcher) -> frozenset[str] | None:
    """The names of the fleet's models, if a matcher is on the name and no model meets it; else None.

    Of an assumed fleet it is all models that are known, and a part of a name must be meant.
    """
    policy = expression.program.policy
    assert policy is not None
    collected = policy.collected.get(selector.name)
    if matcher.op not in ("=", "=~") or not matcher.value or collected is None:
        return None
    if matcher.label != collected.exporter.label(names.MODEL):
        return None
    vendor = collected.exporter.catalog.vendor
    used = [model for _, _, model in policy.pools]
    own = [m for m in (policy.models.values() if policy.is_assumed else used) if m.vendor == vendor]
    models = frozenset(str(model.model_label) for model in own)
    if not models or ("" in models and not policy.is_assumed) or _meets(matcher, models):
        return None
    meant = any(matcher.value in model for model in models)
    return models if meant or not policy.is_assumed else None


def _meets(matcher: Matcher, models: frozenset[str]) -> bool:
    pattern = re2.anchored(matcher.value) if matcher.op == "=~" else None
    if matcher.op == "=~":
        return pattern is None or any(pattern.fullmatch(model) for model in models)
    return matcher.value in models
