"""gpuobs build"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpuobs.cli import common

if TYPE_CHECKING:
    from gpuobs.diagnostics import Diagnostic
    from gpuobs.output import Difference, WriteResult
    from gpuobs.pipeline import Compilation


@click.command(name="build")
@common.options(
    common.specs,
    common.out,
    click.option("--check", is_flag=True, help="Write nothing; fail with a diff on drift."),
    click.option("--target", "targets", multiple=True, help="Only this target (repeatable)."),
    click.option("--force", is_flag=True, help="Take files that others made or edited."),
    common.ext_str,
    common.format_,
    common.strict,
    common.quiet,
    common.color,
    common.no_cache,
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
    from gpuobs.pipeline import compile_project

    if check and force:
        raise click.UsageError("--check writes nothing, so there is nothing to --force")
    _refuse_overlap(specs, out)
    _refuse_unknown(targets)
    done = compile_project(
        specs,
        targets=targets,
        ext_str=ext_str,
        today=common.today(),
        last_report=common.last_report(out),
    )
    if common.exit_code(done.diagnostics, strict) or not done.artifacts:
        common.report(done.diagnostics, format_, color)
        return 1
    findings, summary, unchanged = (
        _compare(out, done, partial=bool(targets), show_diff=format_ == "text")
        if check
        else _write(out, done, force=force, partial=bool(targets))
    )
    text = common.report((*done.diagnostics, *findings), format_, color)
    if not quiet or findings:
        click.echo(summary, err=True, nl=False)
        text += summary
    if unchanged and not findings:
        common.remember(text)
    return 1 if findings else 0


Outcome = tuple[Sequence["Diagnostic"], str, bool]


def _compare(out: Path, done: Compilation, *, partial: bool, show_diff: bool) -> Outcome:
    """Drift as a diff on standard output where text is wanted, else as findings."""
    from gpuobs import output

    differences = output.compare(out, done.artifacts, partial=partial)
    if not differences:
        return (), f"{out} is what the specs say\n", True
    findings = [_drift(out, difference) for difference in differences]
    count = "1 file is" if len(findings) == 1 else f"{len(findings)} files are"
    summary = f"{count} not what the specs say: run 'gpuobs build' and commit the result\n"
    if show_diff:
        click.echo("\n".join(output.diff(differences, out)))
    return findings, summary, False


def _drift(out: Path, difference: Difference) -> Diagnostic:
    from gpuobs import output
    from gpuobs.diagnostics import Span, error

    place = f"{out}/{difference.path}"
    span = Span(place, 1, 1, 1, 1)
    if difference.what == "edited":
        hint = "carry the edit over to the specs, or give it up with 'gpuobs build --force'"
        return error(span, "output/edited-by-hand", f"'{place}' was edited by hand", hint)
    words = {
        "missing": "is missing",
        "changed": "differs from the specs",
        "foreign": f"differs from the specs, and {output.MANIFEST} does not list it",
        "stale": "is not made any more",
    }
    message = f"'{place}' {words[difference.what]}"
    hint = "run 'gpuobs build' and commit the result"
    return error(span, "output/drift", message, hint)


def _write(out: Path, done: Compilation, *, force: bool, partial: bool) -> Outcome:
    from gpuobs import output

    written = output.write(out, done.artifacts, force=force, partial=partial)
    if written.problems:
        return written.problems, f"{out} is left as it was\n", False
    return (), _summary(out, written), not written.written and not written.removed


def _summary(out: Path, written: WriteResult) -> str:
    counts = {
        "written": len(written.written),
        "removed": len(written.removed),
        "unchanged": written.unchanged,
    }
    return f"{out}: " + ", ".join(f"{n} {word}" for word, n in counts.items() if n) + "\n"


def _refuse_overlap(specs: Path, out: Path) -> None:
    left, right = Path(os.path.realpath(specs)), Path(os.path.realpath(out))
    if left.is_relative_to(right) or right.is_relative_to(left):
        raise click.BadParameter(f"'{out}' and the specs folder overlap", param_hint="--out")


def _refuse_unknown(targets: tuple[str, ...]) -> None:
    from gpuobs import targets as formats

    for target in targets:
        if target not in formats.names():
            from gpuobs.nearest import did_you_mean

            hint = did_you_mean(target, formats.names())
            raise click.BadParameter(f"no target '{target}': {hint}", param_hint="--target")
