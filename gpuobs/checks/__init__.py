"""The catalogue of checks. Each module's docstring is its page, and its file name is its code.

A module with a `check` function looks at a Program. A module without one is the page of a code that an earlier stage
reports: reading, shaping, resolving or lowering. `PARAMETERS` are what a project may tune: a name to its default and
its meaning; the check asks `program.parameter(CODE, name, default)`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib import import_module
from types import ModuleType

from gpuobs.diagnostics import Diagnostic
from gpuobs.ir import Program
from gpuobs.spec.model import ParameterValue

CHECKS = (
    "alert/annotation-as-label",
    "alert/duplicate",
    "alert/for-too-long",
    "alert/for-too-short",
    "alert/label-conflict",
    "alert/no-absence-guard",
    "alert/no-condition",
    "alert/no-description",
    "alert/no-runbook",
    "alert/no-summary",
    "alert/no-volume-guard",
    "alert/overlapping",
    "alert/page-without-action",
    "alert/template-label",
    "alert/template-syntax",
    "alert/tests-missing",
    "alert/topk-in-alert",
    "alert/value-in-label",
    "alert/vanishing-series",
    "budget/bad-limit",
    "budget/churn",
    "budget/exceeded",
    "budget/forbidden-identity",
    "budget/forbidden-label",
    "budget/headroom",
    "budget/identity-in-raw",
    "budget/label-limit",
    "budget/read-cost",
    "budget/sample-limit",
    "budget/unbounded-label",
    "budget/unknown-label",
    "budget/unused-field",
    "budget/write-reduction",
    "exporter/field-unsupported",
    "exporter/profiling-conflict",
    "exporter/renamed-field",
    "exporter/unknown-field",
    "promql/absence-as-health",
    "promql/absent-labels",
    "promql/always-true",
    "promql/bitmask-as-number",
    "promql/board-value-repeated",
    "promql/bucket-without-le",
    "promql/code-as-number",
    "promql/counter-without-rate",
    "promql/delta-on-counter",
    "promql/division-by-zero",
    "promql/duration-as-number",
    "promql/empty-at-zero",
    "promql/experimental",
    "promql/high-fan-out",
    "promql/impossible-matcher",
    "promql/join-domain",
    "promql/join-without-common-label",
    "promql/label-lost",
    "promql/latched-level",
    "promql/lookback",
    "promql/many-to-many",
    "promql/mean-of-means",
    "promql/never-true",
    "promql/on-nothing",
    "promql/one-vendor",
    "promql/or-hides",
    "promql/part-of-rest",
    "promql/quantile-of-quantiles",
    "promql/range-too-short",
    "promql/rate-after-aggregation",
    "promql/rate-on-gauge",
    "promql/ratio-aggregated",
    "promql/regex-broken",
    "promql/regex-unneeded",
    "promql/sample-gap",
    "promql/sentinel",
    "promql/unit-mismatch",
    "promql/unknown-label",
    "promql/unknown-metric",
    "promql/wrong-factor",
    "promql/wrong-quantity",
    "rollup/label-conflict",
    "route/always-true",
    "route/default-only",
    "route/equal-unset",
    "route/muted",
    "route/shadowed",
    "route/unreachable",
    "rule/cross-group",
    "rule/cycle",
    "rule/duplicate-series",
    "rule/group-too-large",
    "rule/interval",
    "rule/name",
    "rule/order",
    "rule/unit-in-name",
    "rule/unused",
    "scenario/unknown-label",
    "scrape/drops-all",
    "scrape/identity-dropped",
    "scrape/instance-overwritten",
    "scrape/label-unset",
    "scrape/never-matches",
    "scrape/order",
    "scrape/rollups-not-sent",
    "scrape/unknown-reference",
)

# Checks of what may well be right: a project's Checks document switches them on.
OFF = ("rule/unused",)
# Codes that `foreign/` reports of promtool's test files.
OF_TESTS = (
    "test/bad-series",
    "test/bad-values",
    "test/exact-float",
    "test/group-order",
    "test/missing-rule-file",
    "test/too-early",
    "test/unknown-alert",
)

# Those that say of a broken limit which choice in the specs breaks it.
OF_LIMITS = ("budget/exceeded", "budget/read-cost", "budget/write-reduction")


def check(program: Program, but: Collection[str] = ()) -> list[Diagnostic]:
    """The findings of every check that is on, but for some."""
    asked = (code for code in CHECKS if code not in but)
    on = (code for code in asked if code not in OFF or program.switches_on(code))
    return [finding for code in on for finding in module(code).check(program)]


def module(code: str) -> ModuleType:
    """The module of a code; its docstring is the page that `gpuobs explain` prints."""
    return import_module(f"gpuobs.checks.{code.replace('/', '_').replace('-', '_')}")


def codes() -> tuple[str, ...]:
    """Every code that has a page."""
    from pathlib import Path

    names = (path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    return tuple(sorted(name.replace("_", "/", 1).replace("_", "-") for name in names))


def settable(code: str) -> bool:
    """Whether a project may set what becomes of a code: not where a finding leaves nothing to compile."""
    if code in CHECKS or code in OF_TESTS:
        return True
    return module(code).SEVERITY == "warning" and not code.startswith("suppression/")


def parameters(code: str) -> Mapping[str, tuple[ParameterValue, str]]:
    """A check's parameters, each with its default and what it means."""
    declared: Mapping[str, tuple[ParameterValue, str]] = getattr(module(code), "PARAMETERS", {})
    return declared
