"""Files of others: read, told apart by their content, and checked as the project's own rules are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from gpuobs import checks, settings, suppressions
from gpuobs.diagnostics import Diagnostic, in_order
from gpuobs.foreign import promtool_tests
from gpuobs.foreign.files import ForeignFile, matching, read_files
from gpuobs.foreign.reader import typed
from gpuobs.foreign.world import World
from gpuobs.ir import Program
from gpuobs.spec.node import Node


@dataclass(frozen=True, slots=True)
class Lint:
    """Findings, with the documents that they are about, what is to be said beside them, and what could not be checked."""

    diagnostics: tuple[Diagnostic, ...]
    documents: tuple[Node, ...]
    notes: tuple[str, ...]
    refused: tuple[str, ...]


def lint(paths: Sequence[Path], world: World, today: date | None = None) -> Lint:
    """Checks all files as one program, in which rules read each other's records."""
    files = read_files(paths, world)
    program = Program(
        fleet=str(world.policy.fleet.name),
        version=world.version,
        rule_files=tuple(rules for file in files for rules in file.rule_files),
        test_files=(),
        known=world.known,
        foreign=True,
        policy=world.policy,
        configurations=tuple(each for file in files for each in file.configurations),
        routings=tuple(each for file in files for each in file.routings),
    )
    problems = [problem for file in files for problem in file.problems]
    problems += [problem for file in files for problem in _of_tests(file, world)]
    found = settings.apply(world.policy.checks, [*problems, *checks.check(program)])
    sources = [file.source for file in files if file.source is not None]
    documents = tuple(document.root for file in files for document in file.documents)
    return Lint(
        diagnostics=tuple(in_order(suppressions.apply(found, sources, today, documents))),
        documents=documents,
        notes=tuple(file.note for file in files if file.note),
        refused=tuple(file.refused for file in files if file.refused),
    )


def _of_tests(file: ForeignFile, world: World) -> Iterator[Diagnostic]:
    """What is wrong with promtool's tests, given the rule files that they name."""
    for document in file.tests:
        tests, problems = promtool_tests.read(typed(document.root), world.version)
        yield from problems
        folder = Path(document.root.source.file).parent
        rules = {name: matching(folder, name, world) for name in tests.texts("rule_files")}
        yield from promtool_tests.problems(tests, rules)
