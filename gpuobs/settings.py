"""What a project's Checks document makes of findings, and what is wrong with that document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from gpuobs import checks
from gpuobs.diagnostics import Diagnostic, Related, Span, error
from gpuobs.nearest import did_you_mean
from gpuobs.policy import CheckSettings
from gpuobs.spec.model import Checks as Document
from gpuobs.spec.model import CheckSetting, ParameterValue, Spec


def apply(settings: CheckSettings, findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Findings without those of checks that are off, each with the severity that the project gives it.

    For findings about a program that can be compiled: nothing that keeps one from being made can be set.
    """
    return [kept for finding in findings if (kept := _applied(settings, finding)) is not None]


def _applied(settings: CheckSettings, finding: Diagnostic) -> Diagnostic | None:
    setting = settings.by_code.get(finding.code)
    if setting is None:
        return finding
    if not setting.enabled:
        return None
    return replace(finding, severity=setting.severity or finding.severity)


def problems(specs: Iterable[Spec]) -> Iterator[Diagnostic]:
    """Settings of codes that there are not or that cannot be set, of unknown parameters, and without an effect."""
    first: dict[str, Span] = {}
    settings = [s for spec in specs if isinstance(spec, Document) for s in spec.checks]
    for setting in sorted(settings, key=lambda setting: setting.span):
        place = setting.where("code")
        if setting.code in first:
            related = (Related(first[setting.code], "first here"),)
            message = f"'{setting.code}' is set twice"
            yield error(place, "check/duplicate", message, "merge the two", related)
            continue
        first[setting.code] = place
        yield from _problems(setting)


def parameters_of(code: str) -> Iterator[str]:
    """A sentence a parameter of a check, for its page."""
    for name, (default, meaning) in checks.parameters(code).items():
        yield f"Parameter `{name}` (default {_shown(default)}): {meaning}"


def _problems(setting: CheckSetting) -> Iterator[Diagnostic]:
    code, place = setting.code, setting.where("code")
    if code not in checks.codes():
        hint = did_you_mean(code, checks.codes()) or "'gpuobs explain' lists the checks"
        yield error(place, "check/unknown-code", f"no check '{code}'", hint)
    elif not checks.settable(code):
        message = f"'{code}' cannot be set: what it reports leaves nothing to compile"
        yield error(place, "check/not-settable", message, "mend what it finds; remove this entry")
    elif not (setting.severity or setting.parameters or code in checks.OFF) and setting.enabled:
        hint = "add 'enabled: false', 'severity: warning' or 'parameters:'"
        yield error(setting.span, "check/no-effect", f"this changes nothing of '{code}'", hint)
    elif not setting.enabled and (setting.severity or setting.parameters):
        key = "severity" if setting.severity else "parameters"
        message = f"'{key}' means nothing for a check that is off"
        span = setting.written.at_key(key)
        yield error(span, "check/no-effect", message, f"remove '{key}' or 'enabled: false'")
    else:
        yield from _parameter_problems(setting)


def _parameter_problems(setting: CheckSetting) -> Iterator[Diagnostic]:
    known = checks.parameters(setting.code)
    for name, value in setting.parameters.items():
        if name not in known:
            hint = did_you_mean(name, known) if known else "it has none"
            message = f"'{setting.code}' has no parameter '{name}'"
            span = setting.written.at_key("parameters", name)
            yield error(span, "check/unknown-parameter", message, hint)
        elif not _fits(value, known[name][0]):
            message = f"'{name}' is {_form(value)}, where {_form(known[name][0])} is wanted"
            hint = f"such as {_shown(known[name][0])}, which is the default"
            yield error(setting.where("parameters", name), "check/bad-parameter", message, hint)


def _fits(value: ParameterValue, default: ParameterValue) -> bool:
    number = (_form(value), _form(default)) == ("a whole number", "a number")
    return number or _form(value) == _form(default)


def _form(value: ParameterValue) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, float | int):
        return "a whole number" if isinstance(value, int) else "a number"
    return "a text" if isinstance(value, str) else "a list"


def _shown(value: ParameterValue) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    return str(value).lower() if isinstance(value, bool) else f"{value}"
