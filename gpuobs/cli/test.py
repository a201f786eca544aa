"""gpuobs test"""

from __future__ import annotations

from pathlib import Path

import click

from gpuobs.cli import common


@click.command(name="test")
@common.options(
    click.argument("names", metavar="[PATTERN | FILES...]", nargs=-1),
    common.specs,
    common.out,
    common.tests,
    click.option(
        "--whole", is_flag=True, help="Run the generated files as they stand, not alert by alert."
    ),
    click.option("--coverage", is_flag=True, help="Say what the tests ask about, and run none."),
    click.option("--mutate", is_flag=True, help="Change the rules and say which tests notice."),
    click.option(
        "--fail-under",
        type=click.FloatRange(0, 100),
        metavar="PERCENT",
        help="Exit with 1 where the coverage or the score of the mutants is lower.",
    ),
    common.ext_str,
    common.format_,
    common.quiet,
    common.color,
)
def command(
    names: tuple[str, ...],
    specs: Path,
    out: Path,
    tests: Path,
    whole: bool,
    coverage: bool,
    mutate: bool,
    fail_under: float | None,
    ext_str: dict[str, str],
    format_: str,
    quiet: bool,
    color: bool | None,
) -> int:
    """Run promtool over the generated tests and the project's own.

    With PATTERN, only files whose name, or one of whose alerts or scenarios, contains it. A failure is shown at the
    place in the specs that it comes from. What is wrong with the project's own tests is reported too. Exits with 1 where a
    test fails, where one of the project's own has a mistake, or where the output is not current.

    --coverage and --mutate judge the tests: of the specs, where PATTERN keeps the rules whose name or file contains it, or
    of FILES, which are rules and promtool's tests of any origin. Without --fail-under they exit with 0 whatever they find.
    """
    if coverage or mutate:
        from gpuobs.cli.measuring import Measured, measure

        asked = Measured(specs, out, tests, ext_str, coverage, mutate, fail_under)
        return measure(asked, names, format_, quiet=quiet, color=color)
    if fail_under is not None:
        raise click.UsageError("--fail-under needs --coverage or --mutate")
    if len(names) > 1:
        raise click.UsageError("one PATTERN at a time; FILES are for --coverage and --mutate")
    return _run("".join(names), specs, out, tests, whole, ext_str, format_, quiet, color)


def _run(
    pattern: str,
    specs: Path,
    out: Path,
    tests: Path,
    whole: bool,
    ext_str: dict[str, str],
    format_: str,
    quiet: bool,
    color: bool | None,
) -> int:
    from gpuobs import output
    from gpuobs.foreign import own_tests
    from gpuobs.pipeline import compile_project
    from gpuobs.verify import promtool, unit_tests

    done = compile_project(specs, ext_str=ext_str, today=common.today())
    if done.program is None or not done.artifacts:
        common.report(done.diagnostics, format_, color)
        return 1
    if output.compare(out, done.artifacts):
        click.echo(f"'{out}' is not what the specs say: run 'gpuobs build' first", err=True)
        return 1
    files = common.test_files(tests)
    tool = promtool.find()
    report = unit_tests.run(tool, done.program, out, files, pattern, whole=whole)
    findings = own_tests.findings(done.program, out, files, common.today())
    common.report([*findings, *report.diagnostics], format_, color)
    if pattern and not report.files:
        click.echo(f"no test matches '{pattern}'", err=True)
        return 1
    if not quiet and format_ == "text":
        failed = len(report.diagnostics)
        counts = {
            "assertion": report.assertions,
            "case": report.cases,
            "file": report.files,
        }
        words = [f"{n} {word if n == 1 else word + 's'}" for word, n in counts.items()]
        counted = f"{words[0]} in {words[1]} of {words[2]}"
        verdict = f"{failed} failed" if failed else "all passed"
        click.echo(f"promtool {tool.version}: {counted}, {verdict}")
    return common.exit_code([*findings, *report.diagnostics], strict=False)
