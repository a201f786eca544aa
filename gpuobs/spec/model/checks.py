"""Checks: what a project makes of the catalogue of checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from gpuobs.spec.model.base import Doc, Item, Spec
from gpuobs.spec.scalars import CheckCode, Sentence

ParameterValue = bool | float | str | tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSetting(Item):
    """What this project makes of one check."""

    code: Annotated[
        CheckCode, Doc("The check's code, such as `rule/name`; `gpuobs explain` lists them.")
    ]
    enabled: Annotated[bool, Doc("Whether its findings are reported.")] = True
    severity: Annotated[
        Literal["error", "warning"] | None,
        Doc("Severity of its findings, instead of the check's own. Only errors stop a build."),
    ] = None
    parameters: Annotated[
        Mapping[str, ParameterValue],
        Doc("Values for the check's parameters, which its page under `gpuobs explain` names."),
    ] = field(default_factory=dict)
    reason: Annotated[Sentence, Doc("Why this project differs, for whoever reads it later.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks(Spec):
    """Which checks are off, milder, stricter or tuned in this project. A project has at most one."""

    checks: Annotated[tuple[CheckSetting, ...], Doc("The settings, by code.", non_empty=True)]
