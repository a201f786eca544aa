"""The catalogue of checks. Each module's docstring is its page, and its file name is its code.

A module with a `check` function looks at a Program. A module without one is the page of a code that an earlier stage
reports: reading, shaping, resolving or lowering.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from gpuobs.diagnostics import Diagnostic
from gpuobs.ir import Program

CHECKS = (
    "alert/for-too-long",
    "alert/for-too-short",
    "alert/label-conflict",
    "alert/no-description",
    "alert/no-runbook",
    "alert/no-summary",
    "alert/template-label",
    "alert/template-syntax",
    "alert/tests-missing",
    "alert/value-in-label",
    "promql/absence-as-health",
    "promql/absent-labels",
    "promql/always-true",
    "promql/division-by-zero",
    "promql/empty-at-zero",
    "promql/high-fan-out",
    "promql/impossible-matcher",
    "promql/join-domain",
    "promql/join-without-common-label",
    "promql/label-lost",
    "promql/many-to-many",
    "promql/never-true",
    "promql/on-nothing",
    "promql/or-hides",
    "promql/regex-broken",
    "promql/regex-unneeded",
    "promql/unknown-label",
    "promql/unknown-metric",
    "rule/cycle",
    "rule/duplicate-series",
    "rule/name",
    "scenario/unknown-label",
)


def check(program: Program) -> list[Diagnostic]:
    """The findings of every check."""
    return [finding for code in CHECKS for finding in module(code).check(program)]


def module(code: str) -> ModuleType:
    """The module of a code; its docstring is the page that `gpuobs explain` prints."""
    return import_module(f"gpuobs.checks.{code.replace('/', '_').replace('-', '_')}")


def codes() -> tuple[str, ...]:
    """Every code that has a page."""
    from pathlib import Path

    names = (path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    return tuple(sorted(name.replace("_", "/", 1).replace("_", "-") for name in names))
