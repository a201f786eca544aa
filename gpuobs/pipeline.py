"""The order of the stages, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from gpuobs import checks, files, settings, suppressions
from gpuobs.diagnostics import Diagnostic, in_order
from gpuobs.ir import Artifact, Program
from gpuobs.lower import lower, with_collection
from gpuobs.policy import Policy
from gpuobs.resolve import resolve
from gpuobs.spec.node import Node
from gpuobs.spec.shape import shape


@dataclass(frozen=True, slots=True)
class Compilation:
    """What compiling gave, and the documents that it is about. With an error among the diagnostics there is no artifact."""

    diagnostics: tuple[Diagnostic, ...]
    program: Program | None
    artifacts: tuple[Artifact, ...]
    documents: tuple[Node, ...] = ()


def compile_project(
    specs: Path,
    *,
    targets: tuple[str, ...] = (),
    ext_str: Mapping[str, str] | None = None,
    today: date | None = None,
    last_report: str = "",
) -> Compilation:
    """Specs to artifacts of the wanted targets (all of them by default)."""
    from gpuobs import targets as formats

    checked = check_project(specs, ext_str=ext_str, today=today, last_report=last_report)
    if checked.program is None or _failed(checked.diagnostics):
        return checked
    program = with_collection(checked.program)
    return replace(checked, program=program, artifacts=tuple(formats.render(program, targets)))


def check_project(
    specs: Path,
    *,
    ext_str: Mapping[str, str] | None = None,
    today: date | None = None,
    change: Callable[[Policy], Policy] | None = None,
    but: Collection[str] = (),
    last_report: str = "",
) -> Compilation:
    """Specs to a program and all that is wrong with it, without artifacts.

    `today` decides whether a suppression is over, and nothing else: no artifact depends on it. With a `change` the program is
    that of specs which would say so. Checks in `but` are not asked. `last_report` is the budget's of the last build: what has
    grown since then is named as the cause of a broken limit.
    """
    nodes, problems = files.read_specs(specs, ext_str or {})
    shaped = [shape(node) for node in nodes]
    problems = [*problems, *(problem for _, found in shaped for problem in found)]
    program: Program | None = None
    if not _failed(problems):
        documents = [spec for spec, _ in shaped if spec is not None]
        policy, found = resolve(documents)
        problems += [*found, *settings.problems(documents)]
        if policy is not None:
            policy = policy if change is None else change(policy)
            program, found = lower(policy)
            problems += found
    if _failed(problems):
        program = None
    else:
        assert program is not None
        assert policy is not None
        program = replace(program, last_report=last_report)
        problems = settings.apply(policy.checks, [*problems, *checks.check(program, but)])
    kept = suppressions.apply(problems, [node.source for node in nodes], today, nodes)
    return Compilation(tuple(in_order(kept)), program, (), tuple(nodes))


def _failed(diagnostics: tuple[Diagnostic, ...] | list[Diagnostic]) -> bool:
    return any(diagnostic.severity == "error" for diagnostic in diagnostics)
