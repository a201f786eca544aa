"""gpuobs lint"""

from __future__ import annotations

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
    common.no_cache,
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
    from gpuobs.files import display
    from gpuobs.pipeline import check_project

    for file in files:
        _refuse_foreign(file, specs)
    done = check_project(specs, ext_str=ext_str, today=common.today())
    shown = {display(file) for file in files}
    findings = [d for d in done.diagnostics if not files or d.span.file in shown]
    text = common.report(findings, format_, color)
    if not quiet and not findings and format_ == "text":
        text = "no findings\n"
        click.echo(text, err=True, nl=False)
    code = common.exit_code(findings, strict)
    if code == 0:
        common.remember(text)
    return code


def _refuse_foreign(file: Path, specs: Path) -> None:
    if not file.is_file():
        raise click.BadParameter(f"there is no file '{file}'", param_hint="FILES")
    if not file.resolve().is_relative_to(specs.resolve()):
        message = f"'{file}' is not in '{specs}', and other files than specs are not read yet"
        raise click.BadParameter(message, param_hint="FILES")
