"""What to paste into a test so that it notices a survivor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gpuobs import names
from gpuobs.ir import AlertingRule
from gpuobs.spec.scalars import duration
from gpuobs.targets._yaml import scalar
from gpuobs.verify.suites import Case

if TYPE_CHECKING:
    from gpuobs.verify.mutants.killing import Moment

_OF_SERIES = frozenset({"__name__", names.ALERTNAME, "alertstate"})
# A scenario with more series is easier to write anew than to read.
_MOST_SERIES = 12


def snippet(moment: Moment) -> str:
    """An expectation of a scenario that is there, a scenario with the series of a derived test, or promtool's own form."""
    case, at = moment.case, duration(moment.at)
    if not case.subject:
        return f"add to 'promql_expr_test' of '{case.name}':\n{_promtool(moment)}"
    expected = _expected(moment)
    if case.authored and moment.alert == case.subject:
        asserted = any(str(a.at) == str(at) for a in case.assertions)
        verb = f"replace what is expected at {at} with" if asserted else "add"
        return f"in scenario '{_scenario(case)}' {verb}: {expected}"
    series = case.data.get("input_series") or ()
    if len(series) > _MOST_SERIES or moment.alert != case.subject:
        return f"a scenario of '{moment.alert}' with the series of '{case.name}' and {expected}"
    lines = [
        f"- name: what tells them apart at {at}",
        *([f"  interval: {case.data['interval']}"] if case.data.get("interval") != "1m" else []),
        "  series:",
        *(f"    {_quoted(s['series'])}: {_quoted(s['values'])}" for s in series),
        f"  {expected}",
    ]
    return "add a scenario:\n" + "\n".join(lines)


def _expected(moment: Moment) -> str:
    at = duration(moment.at)
    if not moment.firing:
        return f"quiet: [{{at: {at}}}]"
    fixed = _fixed(moment)
    listed = sorted({_flow(labels, fixed) for labels in moment.firing})
    entries = (f"{{at: {at}, labels: {labels}}}" for labels in listed)
    return f"fires: [{', '.join(entries)}]"


def _fixed(moment: Moment) -> frozenset[str]:
    """Labels that every alert of the rule has: they tell nothing apart."""
    rules = (
        r for r in moment.case.rules if isinstance(r, AlertingRule) and r.alert == moment.alert
    )
    return _OF_SERIES | frozenset(label for rule in rules for label in rule.labels)


def _flow(labels: Mapping[str, str], without: frozenset[str]) -> str:
    shown = (f"{k}: {scalar(v)}" for k, v in sorted(labels.items()) if k not in without)
    return f"{{{', '.join(shown)}}}"


def _promtool(moment: Moment) -> str:
    series = f'ALERTS{{alertname="{moment.alert}", alertstate="firing"}}'
    lines = [
        f"- expr: {_quoted(series)}",
        f"  eval_time: {duration(moment.at)}",
    ]
    if not moment.firing:
        return "\n".join([*lines, "  exp_samples: []"])
    lines.append("  exp_samples:")
    for firing in moment.firing:
        inside = ", ".join(f'{k}="{v}"' for k, v in sorted(firing.items()) if k != "__name__")
        labels = _quoted(f"ALERTS{{{inside}}}")
        lines.append(f"  - {{labels: {labels}, value: 1}}")
    return "\n".join(lines)


def _scenario(case: Case) -> str:
    return case.name.removeprefix(f"{case.subject}: ")


def _quoted(text: str) -> str:
    return "'" + str(text).replace("'", "''") + "'"
