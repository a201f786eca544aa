"""gpuobs test --coverage and --mutate"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpuobs.cli import common
from gpuobs.cli.progress import bar
from gpuobs.diagnostics import Diagnostic, Severity, error, in_order

if TYPE_CHECKING:
    from gpuobs.ir import Program, Rule
    from gpuobs.verify.mutants import Report
    from gpuobs.verify.promtool import Promtool
    from gpuobs.verify.suites import Case


@dataclass(frozen=True, slots=True)
class Measured:
    """What was asked for: where the project is, and what is to be measured."""

    specs: Path
    out: Path
    tests: Path
    ext_str: dict[str, str]
    coverage: bool
    mutate: bool
    fail_under: float | None


@dataclass(frozen=True, slots=True)
class _Subject:
    """The rules to judge the tests by, and the tests."""

    promtool: Promtool
    program: Program
    cases: Sequence[Case]
    wanted: Callable[[Rule], bool]


@dataclass(slots=True)
class _Result:
    """Findings, tables and data so far; `failed` where something is below what was asked for."""

    findings: list[Diagnostic]
    tables: list[str]
    data: dict[str, Any]
    failed: bool = False


def measure(
    asked: Measured, names: Sequence[str], format_: str, *, quiet: bool, color: bool | None
) -> int:
    """Prints what was measured. Exits with 1 below --fail-under and where tests fail as they are."""
    subject, problems = _subject(asked, names)
    if subject is None:
        common.report(problems, format_, color)
        return 1
    result = _Result([], [], {})
    if not any(subject.wanted(rule) for rule in subject.program.rules):
        click.echo(f"no rule matches '{' '.join(names)}', or is read by these tests", err=True)
        return 1
    if asked.coverage:
        _cover(subject, asked.fail_under, result)
    if asked.mutate:
        _mutate(subject, asked.fail_under, result)
    _print(result, format_, quiet, color)
    return 1 if result.failed else 0


def _subject(asked: Measured, names: Sequence[str]) -> tuple[_Subject | None, Sequence[Diagnostic]]:
    files = [Path(name) for name in names if Path(name).is_file()]
    if files and len(files) < len(names):
        missing = next(name for name in names if not Path(name).is_file())
        raise click.UsageError(f"there is no file '{missing}'")
    if len(names) > 1 and not files:
        raise click.UsageError(f"one PATTERN at a time, or FILES: there is no file '{names[0]}'")
    return _foreign(files) if files else _of_project(asked, "".join(names).lower())


def _of_project(asked: Measured, pattern: str) -> tuple[_Subject | None, Sequence[Diagnostic]]:
    from gpuobs.pipeline import check_project
    from gpuobs.verify import promtool, suites
    from gpuobs.verify.mutants.making import name

    done = check_project(asked.specs, ext_str=asked.ext_str, today=common.today())
    if done.program is None:
        return None, done.diagnostics
    program = done.program
    cases = [
        *suites.generated(program),
        *suites.written(program, asked.out, common.test_files(asked.tests)),
    ]
    wanted = {
        id(rule)
        for file in program.rule_files
        for rule in file.rules
        if pattern in file.name.lower() or pattern in name(rule).lower()
    }
    return _Subject(promtool.find(), program, cases, lambda rule: id(rule) in wanted), ()


def _foreign(files: Sequence[Path]) -> tuple[_Subject | None, Sequence[Diagnostic]]:
    from gpuobs.foreign import world
    from gpuobs.verify import foreign_suites, promtool

    tool = promtool.find()
    read = foreign_suites.read(files, world.built_in(), tool.number)
    if any(problem.severity == "error" for problem in read.problems):
        return None, read.problems
    return _Subject(tool, read.program, read.cases, lambda rule: id(rule) in read.wanted), ()


def _cover(subject: _Subject, fail_under: float | None, result: _Result) -> None:
    from gpuobs.verify import coverage, scores

    measured = coverage.measure(subject.promtool, subject.program, subject.cases, subject.wanted)
    severity = _severity(measured.percent, fail_under)
    result.failed |= severity == "error"
    result.findings += in_order(scores.uncovered(measured, severity))
    result.tables.append(scores.coverage_table(measured))
    result.data["coverage"] = scores.coverage_data(measured)


def _mutate(subject: _Subject, fail_under: float | None, result: _Result) -> None:
    from gpuobs.verify import mutants, scores

    started = time.monotonic()
    with bar("mutants") as progress:
        report = mutants.run(
            subject.promtool, subject.program, subject.cases, subject.wanted, progress
        )
    severity = _severity(report.score, fail_under)
    result.failed |= severity == "error" or bool(report.broken)
    result.findings += _broken(report) or in_order(_survivors(subject, report, severity))
    reasons = list(scores.equivalents(report))
    if reasons:
        result.tables.append("\n".join(["equivalent, and not in the score:", *reasons]))
    result.tables.append(scores.mutants_table(report))
    seconds = f"{time.monotonic() - started:.0f} s with promtool {subject.promtool.version}"
    result.tables.append(f"{len(report.verdicts)} mutants in {seconds}: score {report.score:.1f} %")
    result.data["mutants"] = scores.mutants_data(report)


def _broken(report: Report) -> list[Diagnostic]:
    """Cases that fail as they are. Until they are mended there is nothing to say of what they notice."""
    return [
        error(case.place, "test/failed", f"'{case.name}' fails without any mutant: {why}")
        for case, why in report.broken
    ]


def _survivors(subject: _Subject, report: Report, severity: Severity) -> list[Diagnostic]:
    from gpuobs.verify import scores
    from gpuobs.verify.mutants import killing

    alive = [*report.having("survived"), *report.having("untested")]
    numbered = {number: verdict.mutant for number, verdict in enumerate(alive)}
    with bar("what would notice survivors") as progress:
        hints = killing.hints(subject.promtool, subject.cases, numbered, progress)
    return scores.survivors(alive, hints, severity)


def _severity(percent: float, fail_under: float | None) -> Severity:
    return "error" if fail_under is not None and percent < fail_under else "warning"


def _print(result: _Result, format_: str, quiet: bool, color: bool | None) -> None:
    if format_ == "json":
        from gpuobs import reporters

        data = json.loads(reporters.render("json", result.findings, common.read_line))
        click.echo(json.dumps({**data, **result.data}, indent=2, ensure_ascii=False))
        return
    common.report(result.findings, format_, color)
    if not quiet and format_ == "text":
        click.echo("\n\n".join(result.tables))
