"""gpuobs lint"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpuobs.cli import common
from gpuobs.diagnostics import Diagnostic, EnvironmentProblem

if TYPE_CHECKING:
    from gpuobs.foreign.world import World
    from gpuobs.pipeline import Compilation
    from gpuobs.spec.node import Node

_FILE = click.Path(path_type=Path)


@dataclass(slots=True)
class _Found:
    """What a run found, what is to be said beside it, and the files that could not be checked."""

    findings: list[Diagnostic] = field(default_factory=list)
    documents: list[Node] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


@click.command(name="lint")
@common.options(
    click.argument("files", nargs=-1, type=_FILE),
    common.specs,
    common.ext_str,
    click.option("--fleet", type=_FILE, help="Fleet document to check rule files against."),
    click.option("--baseline", type=_FILE, help="Report only findings that are not in this file."),
    click.option("--write-baseline", is_flag=True, help="Write what is found to the baseline."),
    common.format_,
    common.strict,
    common.quiet,
    common.color,
    common.no_cache,
)
def command(
    files: tuple[Path, ...],
    specs: Path,
    ext_str: dict[str, str],
    fleet: Path | None,
    baseline: Path | None,
    write_baseline: bool,
    format_: str,
    strict: bool,
    quiet: bool,
    color: bool | None,
) -> int:
    """Check specs and rule files, and change neither.

    Without FILES the project's specs are checked. Of FILES in the specs folder only their own findings are shown.
    Other FILES are rule files of Prometheus, Mimir or Thanos, PrometheusRules, promtool's tests, and configurations of
    Prometheus or monitors of its operator; they are checked against the project's fleet. Exits with 1 on findings, and with 2 where a file cannot be checked.
    """
    if write_baseline and baseline is None:
        raise click.UsageError("--write-baseline needs --baseline FILE")
    found = _found(files, specs, ext_str, fleet)
    if baseline is not None:
        _subtract(found, files, baseline, write_baseline)
    text = common.report(found.findings, format_, color)
    if not quiet and format_ == "text":
        clean = not (found.findings or found.refused or write_baseline)
        said = [*found.notes, *(["no findings"] if clean else [])]
        text = "".join(f"{line}\n" for line in said) if not found.findings else text
        click.echo("".join(f"{line}\n" for line in said), err=True, nl=False)
    for line in found.refused:
        click.echo(f"gpuobs: {line}", err=True)
    code = 2 if found.refused else common.exit_code(found.findings, strict)
    if code == 0:
        common.remember(text)
    return code


def _found(
    files: tuple[Path, ...], specs: Path, ext_str: dict[str, str], fleet: Path | None
) -> _Found:
    """What the specs and the other files give; a project is read where it is there, for its fleet."""
    from gpuobs.files import display
    from gpuobs.pipeline import check_project

    found = _Found()
    there = [file for file in files if os.path.lexists(file)]
    found.refused += [f"there is no file '{file}'" for file in files if file not in there]
    own = [file for file in there if _is_spec(file, specs)]
    others = [file for file in there if file not in own]
    if files and not there:
        return found
    if fleet is not None and not others:
        raise click.UsageError("--fleet is for rule files: name one")
    project: Compilation | None = None
    if own or not others:
        last = common.last_report(Path(common.OUT))
        project = check_project(specs, ext_str=ext_str, today=common.today(), last_report=last)
        shown = {display(file) for file in own}
        found.findings += [d for d in project.diagnostics if not own or d.span.file in shown]
        found.documents += project.documents
    elif specs.is_dir():
        try:
            project = check_project(specs, ext_str=ext_str, today=common.today())
        except EnvironmentProblem as problem:
            found.notes.append(str(problem))
    if others:
        _lint_foreign(found, others, _world(found, fleet, project))
    return found


def _is_spec(file: Path, specs: Path) -> bool:
    # realpath() and not resolve(), which raises for a link to itself.
    return Path(os.path.realpath(file)).is_relative_to(os.path.realpath(specs))


def _world(found: _Found, fleet: Path | None, project: Compilation | None) -> World | None:
    """The fleet to check against; None where the one that was named has mistakes."""
    from gpuobs.foreign import world

    program = project.program if project is not None else None
    known = program.rule_files if program is not None else ()
    if fleet is not None:
        chosen, mistakes = world.of_file(fleet, known)
        found.findings += mistakes
        return chosen
    if program is not None:
        return world.of_project(program)
    if project is not None:
        found.notes.append("the specs have mistakes, so their fleet is not known")
    return world.built_in()


def _lint_foreign(found: _Found, files: list[Path], world: World | None) -> None:
    from gpuobs.foreign import lint

    if world is None:
        return
    done = lint(files, world, common.today())
    found.findings += done.diagnostics
    found.documents += done.documents
    found.notes += [*done.notes, f"checked against {world.fleet}"]
    found.refused += done.refused


def _subtract(found: _Found, files: Iterable[Path], path: Path, write: bool) -> None:
    """Leaves what is not in the baseline; all of it is there when the baseline was just written."""
    from gpuobs import baseline
    from gpuobs.files import display

    looked_at = frozenset(display(file) for file in files) or None
    entries = baseline.entries(found.findings, found.documents)
    if write:
        known = baseline.read(path) if os.path.lexists(path) else baseline.EMPTY
        count = baseline.write(path, entries, known, looked_at)
        found.notes.append(f"{path}: {count} {'finding' if count == 1 else 'findings'} written")
        found.findings = []
        return
    known = baseline.read(path)
    found.findings = baseline.new(found.findings, entries, known)
    gone = baseline.gone(entries, known, looked_at)
    if gone:
        what = (
            "1 finding of the baseline is" if gone == 1 else f"{gone} findings of the baseline are"
        )
        found.notes.append(f"{what} gone: --write-baseline takes it out of '{path}'")
