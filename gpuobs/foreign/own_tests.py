"""The project's own promtool tests, looked at with the rules that the specs make."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from gpuobs import settings, suppressions
from gpuobs.diagnostics import Diagnostic, in_order
from gpuobs.files import display
from gpuobs.foreign import promtool_tests
from gpuobs.foreign.files import paths_of
from gpuobs.ir import Program, RuleFile
from gpuobs.spec.document import read
from gpuobs.spec.node import Source
from gpuobs.targets.prometheus_rules import path as rules_path


def findings(
    program: Program, out: Path, tests: Sequence[Path], today: date | None = None
) -> list[Diagnostic]:
    """What is wrong with test files; of one that is no plain YAML promtool says it."""
    made = {_real(out / rules_path(file.name)): file for file in program.rule_files}
    found: list[Diagnostic] = []
    sources: list[Source] = []
    for test in tests:
        node, _ = read(display(test), test.read_bytes())
        if node is not None:
            file, problems = promtool_tests.read(node, program.version)
            rules = {name: _matched(test.parent, name, made) for name in file.texts("rule_files")}
            found += [*problems, *promtool_tests.problems(file, rules)]
            sources.append(node.source)
    if program.policy is not None:
        found = settings.apply(program.policy.checks, found)
    return in_order(suppressions.apply(found, sources, today))


def _matched(folder: Path, name: str, made: Mapping[str, RuleFile]) -> list[RuleFile] | None:
    """The rule files that an entry of `rule_files` matches; None where others have written one of them."""
    files = [made.get(_real(path)) for path in paths_of(folder, name)]
    return None if None in files else [file for file in files if file is not None]


def _real(path: Path) -> str:
    return os.path.realpath(path)
