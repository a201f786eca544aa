"""Mutants: rules with one change each, and whether the tests notice.

A test that passes with the rule and with its mutant does not say which of the two is right.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gpuobs.ir import Program, Rule, RuleGroup
from gpuobs.verify import running
from gpuobs.verify.mutants import batches, making
from gpuobs.verify.mutants.equivalence import Prover
from gpuobs.verify.mutants.making import Mutant
from gpuobs.verify.mutants.whole import Wholeness
from gpuobs.verify.promtool import Promtool
from gpuobs.verify.suites import Case

State = Literal["killed", "survived", "untested", "equivalent"]
Progress = Callable[[int, int], None]
# Rules that one process evaluates for its mutants, so that no process is much longer than another.
_RULES_A_RUN = 1500


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant, and why: what noticed it, or why nothing can."""

    mutant: Mutant
    state: State
    why: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    verdicts: tuple[Verdict, ...]
    broken: tuple[
        tuple[Case, str], ...
    ]  # cases that fail without any mutant, and so notice nothing

    def having(self, state: State) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.state == state]

    @property
    def score(self) -> float:
        """Percent of the mutants that are noticed, of those that can be."""
        possible = len(self.verdicts) - len(self.having("equivalent"))
        return 100 * len(self.having("killed")) / possible if possible else 100.0


def run(
    promtool: Promtool,
    program: Program,
    cases: Sequence[Case],
    wanted: Callable[[Rule], bool],
    progress: Progress = lambda *_: None,
) -> Report:
    """Every mutant of the rules that are wanted, against every case that can notice it."""
    every = list(made(program, wanted))
    prover = Prover(program)
    proofs = {number: prover.reason(mutant) for number, mutant in enumerate(every, 1)}
    alive = {n: mutant for n, mutant in enumerate(every, 1) if not proofs[n]}
    hunt = _Hunt(promtool, alive, progress)
    hunt.run(_interleaved(cases))
    reached = {id(rule) for case in cases for rule in case.rules}
    return Report(
        verdicts=tuple(
            _verdict(mutant, proofs[number], hunt.killed.get(number), reached)
            for number, mutant in enumerate(every, 1)
        ),
        broken=tuple(hunt.broken),
    )


def _verdict(mutant: Mutant, proof: str, killed: str | None, reached: set[int]) -> Verdict:
    if proof:
        return Verdict(mutant, "equivalent", proof)
    if killed is not None:
        return Verdict(mutant, "killed", killed)
    return Verdict(mutant, "survived" if id(mutant.rule) in reached else "untested")


def made(program: Program, wanted: Callable[[Rule], bool]) -> Iterator[Mutant]:
    """The mutants of the rules that are wanted."""
    is_whole = Wholeness(program).of
    for rule, group in _rules(program):
        if wanted(rule):
            yield from making.mutants(rule, group, program, is_whole)


def _rules(program: Program) -> Iterator[tuple[Rule, RuleGroup]]:
    for file in program.rule_files:
        for group in file.groups:
            for rule in group.rules:
                yield rule, group


def _interleaved(cases: Sequence[Case]) -> list[Case]:
    """The case of each alert that says most, then the next one of each: those that run side by side then hunt others."""
    places: dict[str, int] = {}
    ranked = []
    for case in sorted(cases, key=lambda case: -len(case.assertions)):
        places[case.subject] = places.get(case.subject, 0) + 1
        ranked.append((places[case.subject], case))
    return [case for _, case in sorted(ranked, key=lambda each: each[0])]


class _Hunt:
    """The mutants that live, the cases one after the other, as many at once as there are cores."""

    def __init__(self, promtool: Promtool, alive: dict[int, Mutant], progress: Progress) -> None:
        self._promtool = promtool
        self._alive = alive
        self._progress = progress
        self.killed: dict[int, str] = {}
        self.broken: list[tuple[Case, str]] = []

    def run(self, cases: Sequence[Case]) -> None:
        from concurrent.futures import ThreadPoolExecutor, as_completed

        with running.scratch() as scratch, ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            runs = [
                pool.submit(self._one, case, Path(scratch, str(number)))
                for number, case in enumerate(cases)
            ]
            for done, finished in enumerate(as_completed(runs), 1):
                finished.result()
                self._progress(done, len(runs))

    def _one(self, case: Case, folder: Path) -> None:
        seen = {n: m for n, m in list(self._alive.items()) if id(m.rule) in case.ids}
        for mutants in _parts(case, seen):
            said = batches.run(batches.batch(case, mutants), self._promtool, folder)
            if said.broken:
                self.broken.append((case, said.broken))
                return
            for number, how in said.killed.items():
                self.killed[number] = f"'{case.name}' {how}"
                self._alive.pop(number, None)


def _parts(case: Case, mutants: dict[int, Mutant]) -> Iterator[dict[int, Mutant]]:
    """The mutants in parts that one process evaluates; none at all still shows whether the case passes."""
    from gpuobs.verify.mutants.chains import affected

    part: dict[int, Mutant] = {}
    rules = 0
    for number, mutant in mutants.items():
        part[number] = mutant
        rules += len(affected(case, mutant) or ())
        if rules > _RULES_A_RUN:
            yield part
            part, rules = {}, 0
    if part:
        yield part
