"""What would notice a survivor: a moment of a test at which it differs from its rule, as text to paste.

Where the series of some test tell the two apart, at a moment about which nothing is asserted, that moment is found by asking
promtool: for alerts only, as a recording rule has many readers. Where they never do, words say which series are needed.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuobs import promql
from gpuobs.ir import AlertingRule
from gpuobs.lower import samples
from gpuobs.spec.scalars import Duration, duration
from gpuobs.verify import failures, running
from gpuobs.verify.mutants import batches, needs
from gpuobs.verify.mutants.chains import Names, affected
from gpuobs.verify.mutants.making import Mutant
from gpuobs.verify.mutants.pasting import snippet
from gpuobs.verify.promtool import Promtool
from gpuobs.verify.suites import Case, alert_key, key

_AFTER = 3600.0
# Cases in which a survivor is looked at; those that people wrote come first.
_CASES_EACH = 4
Labels = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Moment:
    """When an alert and its mutant first differ in a case: the alert's name, and the labels with which it fires then."""

    case: Case
    alert: str
    at: float
    firing: tuple[Labels, ...] = ()


def hints(
    promtool: Promtool,
    cases: Sequence[Case],
    survivors: Mapping[int, Mutant],
    progress: Callable[[int, int], None] = lambda *_: None,
) -> dict[int, str]:
    """By number, what to add to the tests."""
    from concurrent.futures import ThreadPoolExecutor

    with running.scratch() as scratch, ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        searched = {n: m for n, m in survivors.items() if isinstance(m.rule, AlertingRule)}
        hunt = _Search(promtool, searched, Path(scratch))
        ordered = sorted(cases, key=lambda case: not case.authored)
        for done, _ in enumerate(pool.map(hunt.look, range(len(ordered)), ordered), 1):
            progress(done, len(ordered))
    found = {number: snippet(moment) for number, moment in hunt.found.items()}
    reached = {id(rule) for case in cases for rule in case.rules}
    return {
        number: found.get(number) or needs.words(mutant, id(mutant.rule) in reached)
        for number, mutant in survivors.items()
    }


class _Search:
    """Asks case by case for the survivors that none before told apart."""

    def __init__(self, promtool: Promtool, left: dict[int, Mutant], scratch: Path) -> None:
        self._promtool = promtool
        self._left = left
        self._scratch = scratch
        self._looked: Counter[int] = Counter()
        self.found: dict[int, Moment] = {}

    def look(self, number: int, case: Case) -> None:
        folder = self._scratch / str(number)
        mutants = {
            n: mutant
            for n, mutant in list(self._left.items())
            if id(mutant.rule) in case.ids
            and self._looked[n] < _CASES_EACH
            and affected(case, mutant) is not None
        }
        self._looked.update(mutants.keys())
        moments = dict(self._moments(case, mutants, folder)) if mutants else {}
        wanted = {(moment.alert, moment.at) for moment in moments.values()}
        firing = self._firing(case, sorted(wanted), folder) if wanted else {}
        for n, moment in moments.items():
            labels = firing.get((moment.alert, moment.at), ())
            self.found[n] = Moment(case, moment.alert, moment.at, labels)
            self._left.pop(n, None)

    def _moments(
        self, case: Case, mutants: Mapping[int, Mutant], folder: Path
    ) -> Iterator[tuple[int, Moment]]:
        read = frozenset[str]().union(*(a.reads or () for a in case.assertions))
        alerts = {_alert(rule) for rule in case.rules if key(rule) in read} - {""}
        end = _end(case)
        asked: list[tuple[str, dict[str, Any]]] = []
        subjects: dict[int, list[str]] = {}
        for number, names in batches.names(case, mutants).items():
            subjects[number] = [alert for alert in sorted(alerts) if alert_key(alert) in names]
            asked += [
                _assertion(_difference(alert, names, end, case.interval), end, f"{number}.{index}")
                for index, alert in enumerate(subjects[number])
            ]
        output = batches.ask(case, mutants, asked, self._promtool, folder)
        for failure in failures.parse(output or ""):
            times = failures.samples(failure.got)
            if times and failure.case is not None and failure.assertion is not None:
                alert = subjects[failure.case][failure.assertion]
                yield failure.case, Moment(case, alert, min(times.values()))

    def _firing(
        self, case: Case, wanted: Sequence[tuple[str, float]], folder: Path
    ) -> dict[tuple[str, float], tuple[Labels, ...]]:
        """The labels with which alerts fire at some moments."""
        asked = [
            _assertion(_series(alert), at, f"1.{index}") for index, (alert, at) in enumerate(wanted)
        ]
        output = batches.ask(case, {}, asked, self._promtool, folder)
        found: dict[tuple[str, float], tuple[Labels, ...]] = {}
        for failure in failures.parse(output or ""):
            given = failures.samples(failure.got)
            if given and failure.assertion is not None:
                found[wanted[failure.assertion]] = tuple(_labels(text) for text in given)
        return found


def _alert(rule: object) -> str:
    return rule.alert if isinstance(rule, AlertingRule) else ""


def _series(alert: str) -> str:
    return f'ALERTS{{alertname="{alert}", alertstate="firing"}}'


def _difference(alert: str, names: Names, end: float, step: str) -> str:
    """The first moment at which only one of the two fires, by the labels with which it does."""
    one, other = _series(alert), _series(names[alert_key(alert)])
    both = " or ".join(
        f"({a} unless ignoring (alertname) {b})" for a, b in ((one, other), (other, one))
    )
    return f"min_over_time(timestamp({both})[{duration(end)}:{step}])"


def _assertion(expr: str, at: float, tag: str) -> tuple[str, dict[str, Any]]:
    data = {"expr": f"{expr} # {tag}", "eval_time": str(duration(at)), "exp_samples": []}
    return "promql_expr_test", data


def _end(case: Case) -> float:
    """The last moment to look at: of the series, but not long after the last assertion."""
    step = Duration(str(case.data.get("interval") or case.interval)).seconds
    ends = []
    for entry in case.data.get("input_series") or ():
        words = samples.read(str(entry.get("values", "")))
        ends.append(step * sum(word.count for word in words if not isinstance(word, tuple)))
    asserted = max(Duration(assertion.at).seconds for assertion in case.assertions)
    return max(asserted, min(max(ends, default=0), asserted + _AFTER))


def _labels(text: str) -> Labels:
    """The labels that promtool prints, as they are."""
    parsed = promql.parse(text)
    if isinstance(parsed, promql.Refused):
        return {}
    return {m.label: m.value for m in promql.selectors(parsed)[0].matchers}
