"""Rules and tests of others, as one program and its test cases."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gpuobs.diagnostics import Diagnostic, EnvironmentProblem, in_order
from gpuobs.foreign import promtool_fields
from gpuobs.foreign.files import ForeignFile, paths_of, read_files
from gpuobs.foreign.reader import typed
from gpuobs.foreign.world import World
from gpuobs.ir import Program, RuleFile
from gpuobs.spec.scalars import PrometheusVersion
from gpuobs.verify import suites
from gpuobs.verify.suites import Case


@dataclass(frozen=True, slots=True)
class ForeignSuite:
    """`wanted` are the rules that were named, by identity; all that the tests read where none was named."""

    program: Program
    cases: tuple[Case, ...]
    wanted: frozenset[int]
    problems: tuple[Diagnostic, ...]


def read(paths: Sequence[Path], world: World, version: tuple[int, int]) -> ForeignSuite:
    """Files with rules and files with tests, told apart by their content. Tests find their rules as promtool does."""
    reader = _Reader(_at_version(world, version))
    named = [reader.file(path) for path in paths]
    tests = [path for path, file in zip(paths, named, strict=True) if file.tests]
    given = [rules for file in named for rules in file.rule_files]
    if not tests:
        raise EnvironmentProblem("none of these files has tests of promtool's")
    problems = list(reader.problems(tests))
    broken = any(problem.severity == "error" for problem in problems)
    cases = [] if broken else [case for path in tests for case in reader.cases(path, given)]
    problems += [problem for file in reader.files.values() for problem in file.problems]
    files = tuple(rules for file in reader.files.values() for rules in file.rule_files)
    program = Program(
        fleet=str(world.policy.fleet.name),
        version=version,
        rule_files=files,
        test_files=(),
        foreign=True,
        policy=reader.world.policy,
    )
    return ForeignSuite(
        program=program,
        cases=tuple(cases),
        wanted=frozenset(id(rule) for file in given or files for rule in file.rules),
        problems=tuple(in_order(problems)),
    )


def _at_version(world: World, version: tuple[int, int]) -> World:
    """The world with the Prometheus that will run the tests: it reads more than the oldest one."""
    number = PrometheusVersion(".".join(map(str, version)))
    fleet = replace(world.policy.fleet, prometheus_version=number)
    return replace(world, policy=replace(world.policy, fleet=fleet))


class _Reader:
    """Reads each file once, so that a rule is the same one wherever it is used."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.files: dict[str, ForeignFile] = {}

    def file(self, path: Path) -> ForeignFile:
        real = os.path.realpath(path)
        if real not in self.files:
            (read,) = read_files([path], self.world)
            if read.refused:
                raise EnvironmentProblem(read.refused)
            self.files[real] = read
        return self.files[real]

    def problems(self, tests: Sequence[Path]) -> Iterator[Diagnostic]:
        """What promtool would refuse in test files."""
        for path in tests:
            for document in self.file(path).tests:
                yield from promtool_fields.problems(typed(document.root), self.world.version)

    def cases(self, path: Path, given: Sequence[RuleFile]) -> list[Case]:
        """The cases of a test file; with the rules that were named where it finds none of its own."""
        found: list[Case] = []
        for document in self.file(path).tests:
            node = typed(document.root)
            listed = node.get("rule_files")
            names = [str(n.value) for n in listed.value or ()] if listed is not None else []
            matched = [each for name in names for each in paths_of(path.parent, name)]
            rules = [file for each in matched for file in self.file(each).rule_files]
            groups = [group for file in rules or given for group in file.groups]
            found += suites.cases(node, groups, self.world.version, None)
        return found
