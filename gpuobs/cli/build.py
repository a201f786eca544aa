"""gpuobs build"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from gpuobs.cli import common


@click.command(name="build")
@common.options(
    common.specs,
    common.out,
    click.option("--check", is_flag=True, help="Write nothing; fail and print a diff where the output is not current."),
    click.option("--target", "targets", multiple=True, help="Only this target; may be given several times."),
    click.option("--force", is_flag=True, help="Overwrite files that gpuobs did not make or that were edited."),
    common.ext_str,
    common.format_,
    common.strict,
    common.quiet,
    common.color,
)
def command(
    specs: Path,
    out: Path,
    check: bool,
    targets: tuple[str, ...],
    force: bool,
    ext_str: dict[str, str],
    format_: str,
    strict: bool,
    quiet: bool,
    color: bool | None,
) -> int:
    """Compile the specs and write what they say, all of it or nothing.

    Exits with 1 where the specs have mistakes, where a file is in the way and, with --check, on drift.
    """
    from gpuobs import cache, output
    from gpuobs.pipeline import compile_project

    _refuse_unknown(targets)
    arguments = sys.argv[1:]
    done = compile_project(specs, targets=targets, ext_str=ext_str)
    if common.exit_code(done.diagnostics, strict) or not done.artifacts:
        common.report(done.diagnostics, format_, color)
        cache.forget(arguments)
        return 1
    if check:
        differences = output.compare(out, done.artifacts, partial=bool(targets))
        common.report(done.diagnostics, format_, color)
        if differences:
            click.echo("\n".join(output.diff(differences, out)))
            click.echo(_drift(len(differences)), err=True)
            cache.forget(arguments)
            return 1
        summary = f"{out} is what the specs say\n"
    else:
        written = output.write(out, done.artifacts, force=force, partial=bool(targets))
        common.report((*done.diagnostics, *written.problems), format_, color)
        if written.problems:
            return 1
        summary = _summary(out, written) + "\n"
    if not quiet:
        click.echo(summary, err=True, nl=False)
    if not done.diagnostics and not (not check and (written.written or written.removed)):
        cache.remember(arguments, "", "" if quiet else summary)
    return 0


def _refuse_unknown(targets: tuple[str, ...]) -> None:
    from gpuobs import targets as formats

    for target in targets:
        if target not in formats.names():
            from gpuobs.nearest import did_you_mean

            hint = did_you_mean(target, formats.names())
            raise click.BadParameter(f"no target '{target}': {hint}", param_hint="--target")


def _drift(count: int) -> str:
    files = "1 file is" if count == 1 else f"{count} files are"
    return f"{files} not what the specs say: run 'gpuobs build' and commit the result"


def _summary(out: Path, written: object) -> str:
    from gpuobs.output import WriteResult

    assert isinstance(written, WriteResult)
    parts = [
        f"{len(written.written)} written" if written.written else "",
        f"{len(written.removed)} removed" if written.removed else "",
        f"{written.unchanged} unchanged" if written.unchanged else "",
    ]
    return f"{out}: " + (", ".join(part for part in parts if part) or "nothing to do")
