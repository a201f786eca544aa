"""gpuobs test"""

from __future__ import annotations

from pathlib import Path

import click

from gpuobs.cli import common


@click.command(name="test")
@common.options(
    click.argument("pattern", default=""),
    common.specs,
    common.out,
    common.tests,
    click.option(
        "--whole", is_flag=True, help="Run the generated files as they stand, not alert by alert."
    ),
    common.ext_str,
    common.format_,
    common.quiet,
    common.color,
)
def command(
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
    """Run promtool over the generated tests and the project's own.

    With PATTERN, only files whose name, or one of whose alerts or scenarios, contains it. A failure is shown at the
    place in the specs that it comes from. What is wrong with the project's own tests is reported too. Exits with 1 where a
    test fails, where one of the project's own has a mistake, or where the output is not current.
    """
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
    files = sorted([*tests.glob("*.yaml"), *tests.glob("*.yml")]) if tests.is_dir() else []
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
