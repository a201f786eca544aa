"""Rule files of others: read, told apart by their content, and checked as the project's own rules are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuobs import checks, suppressions
from gpuobs.diagnostics import Diagnostic, in_order
from gpuobs.foreign.files import read_files
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


def lint(paths: Sequence[Path], world: World) -> Lint:
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
    )
    problems = [problem for file in files for problem in file.problems]
    sources = [file.source for file in files if file.source is not None]
    found = suppressions.apply([*problems, *checks.check(program)], sources)
    return Lint(
        diagnostics=tuple(in_order(found)),
        documents=tuple(document.root for file in files for document in file.documents),
        notes=tuple(file.note for file in files if file.note),
        refused=tuple(file.refused for file in files if file.refused),
    )
