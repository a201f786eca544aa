"""Coverage and mutants for people and for machines: findings at their places, tables, and data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gpuobs.diagnostics import Diagnostic, Severity
from gpuobs.ir import AlertingRule
from gpuobs.verify.coverage import KINDS, Coverage, Item
from gpuobs.verify.mutants import Report, Verdict
from gpuobs.verify.mutants.making import name

UNCOVERED, BRANCH_UNCOVERED, SURVIVOR = "test/uncovered", "test/branch-uncovered", "test/survivor"
_LABELS = ("tier", "severity", "owner")
_PLURALS = {
    "alert": "alerts",
    "branch": "branches of 'or'",
    "label value": "label values",
    "recording rule": "recording rules",
}
_STATES = ("killed", "survived", "untested", "equivalent")


def uncovered(coverage: Coverage, severity: Severity) -> list[Diagnostic]:
    """A finding for each thing that no test covers; the values of one matcher together."""
    values: dict[tuple[int, str], list[Item]] = {}
    found = []
    for item in coverage.missing:
        if item.kind == "label value":
            values.setdefault((id(item.rule), item.text.partition("=")[0]), []).append(item)
        else:
            found.append(_uncovered(item, severity))
    return [*found, *(_without_values(items, severity) for items in values.values())]


def _uncovered(item: Item, severity: Severity) -> Diagnostic:
    called = name(item.rule)
    if item.kind == "branch":
        message = f"no test makes '{called}' fire by '{item.text}' alone"
        hint = "add a scenario whose series meet this branch of 'or' and no other"
        return Diagnostic(item.place, BRANCH_UNCOVERED, severity, message, hint)
    if item.kind == "alert":
        message, hint = f"no test expects '{called}' to fire", "add a scenario with 'fires:'"
    else:
        message, hint = f"no test depends on what '{called}' records", ""
    return Diagnostic(item.place, UNCOVERED, severity, message, hint)


def _without_values(items: Sequence[Item], severity: Severity) -> Diagnostic:
    texts = sorted({item.text for item in items})
    message = f"no test of '{name(items[0].rule)}' has a series with {' or '.join(texts)}"
    return Diagnostic(items[0].place, UNCOVERED, severity, message, "add one to a scenario")


def survivors(
    verdicts: Sequence[Verdict], hints: Mapping[int, str], severity: Severity
) -> list[Diagnostic]:
    """A finding for each mutant that nothing notices; `hints` are by its place in the sequence."""
    return [
        Diagnostic(
            verdict.mutant.place,
            SURVIVOR,
            severity,
            f"the tests pass where in '{verdict.mutant.name}' {verdict.mutant.said}",
            hints.get(index, ""),
        )
        for index, verdict in enumerate(verdicts)
    ]


# Tables ---------------------------------------------------------------------------------------------------------------


def coverage_table(coverage: Coverage) -> str:
    kinds = ((kind, (i for i in coverage.items if i.kind == kind)) for kind in KINDS)
    return _table(
        [
            ("", "covered", "of", "%"),
            *(_share(_PLURALS[kind], coverage.of(items)) for kind, items in kinds),
            *(
                _share(f"alerts with {label} {value}", counts)
                for label in _LABELS
                for value, counts in coverage.by_label(label).items()
            ),
            _share("all", coverage.of(coverage.items)),
        ]
    )


def _share(what: str, counts: tuple[int, int]) -> tuple[str, ...]:
    part, whole = counts
    return what, str(part), str(whole), f"{100 * part / whole:.1f}" if whole else "-"


def mutants_table(report: Report) -> str:
    """By operator, then by what the rules are."""
    by_operator: dict[str, list[Verdict]] = {}
    for verdict in report.verdicts:
        by_operator.setdefault(verdict.mutant.operator, []).append(verdict)
    alerts = [v for v in report.verdicts if isinstance(v.mutant.rule, AlertingRule)]
    records = [v for v in report.verdicts if not isinstance(v.mutant.rule, AlertingRule)]
    return _table(
        [
            ("mutants", *_STATES, "score"),
            *(_counts(operator, found) for operator, found in sorted(by_operator.items())),
            _counts("of alerts", alerts),
            _counts("of recording rules", records),
            _counts("all", report.verdicts),
        ]
    )


def _counts(what: str, verdicts: Iterable[Verdict]) -> tuple[str, ...]:
    states = Counter(verdict.state for verdict in verdicts)
    possible = sum(states.values()) - states["equivalent"]
    score = f"{100 * states['killed'] / possible:.1f}" if possible else "-"
    return what, *(str(states[state]) for state in _STATES), score  # type: ignore[index]


def equivalents(report: Report) -> Iterator[str]:
    """Why mutants were left out of the score, with how many and one of them."""
    reasons: dict[str, list[Verdict]] = {}
    for verdict in report.having("equivalent"):
        reasons.setdefault(verdict.why, []).append(verdict)
    for why, found in sorted(reasons.items(), key=lambda each: -len(each[1])):
        first = found[0].mutant
        yield f"{len(found):>5}  {why}; such as in '{first.name}': {first.said}"


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for first, *rest in rows:
        cells = (cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))
        lines.append("  ".join([first.ljust(widths[0]), *cells]))
    return "\n".join(lines)


# Data -----------------------------------------------------------------------------------------------------------------


def coverage_data(coverage: Coverage) -> dict[str, Any]:
    covered, of = "covered", "of"
    kinds = {kind: coverage.of(i for i in coverage.items if i.kind == kind) for kind in KINDS}
    labels = {label: coverage.by_label(label) for label in _LABELS}
    return {
        "percent": round(coverage.percent, 2),
        **{kind: {covered: part, of: whole} for kind, (part, whole) in kinds.items()},
        "labels": {
            label: {value: {covered: part, of: whole} for value, (part, whole) in values.items()}
            for label, values in labels.items()
        },
    }


def mutants_data(report: Report) -> dict[str, Any]:
    states = Counter(verdict.state for verdict in report.verdicts)
    return {
        "score": round(report.score, 2),
        **{state: states[state] for state in _STATES},  # type: ignore[index]
        "mutants": [
            {
                "rule": verdict.mutant.name,
                "operator": verdict.mutant.operator,
                "change": verdict.mutant.said,
                "file": verdict.mutant.place.file,
                "line": verdict.mutant.place.line,
                "state": verdict.state,
                "why": verdict.why,
            }
            for verdict in report.verdicts
        ],
    }
