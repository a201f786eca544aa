"""gpuobs lint"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from gpuobs.cli import common


@click.command(name="lint")
@common.options(
    click.argument("files", nargs=-1, type=click.Path(path_type=Path)),
    common.specs,
    common.ext_str,
    common.format_,
    common.strict,
    common.quiet,
    common.color,
)
def command(
    files: tuple[Path, ...],
    specs: Path,
    ext_str: dict[str, str],
    format_: str,
    strict: bool,
    quiet: bool,
    color: bool | None,
) -> int:
    """Check the specs and write nothing.

    With FILES, only findings in these specs are shown; the whole project is read all the same, for one spec refers to
    another. Exits with 1 on findings.
    """
    from gpuobs import cache
    from gpuobs.files import display
    from gpuobs.pipeline import compile_project

    for file in files:
        if not file.resolve().is_relative_to(specs.resolve()) or not file.is_file():
            message = f"'{file}' is no spec in '{specs}'"
            raise click.BadParameter(message, param_hint="FILES")
    done = compile_project(specs, ext_str=ext_str)
    shown = {display(file) for file in files}
    findings = [d for d in done.diagnostics if not files or d.span.file in shown]
    common.report(findings, format_, color)
    code = common.exit_code(findings, strict)
    summary = "" if quiet or findings or format_ != "text" else "no findings\n"
    click.echo(summary, err=True, nl=False)
    if not files and not done.diagnostics:
        cache.remember(sys.argv[1:], "", summary)
    else:
        cache.forget(sys.argv[1:])
    return code
