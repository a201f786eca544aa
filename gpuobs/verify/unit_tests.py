"""promtool's unit tests, in parallel, with every failure led back to the spec that it comes from."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuobs.diagnostics import Diagnostic, EnvironmentProblem, Related, Span, error
from gpuobs.files import display
from gpuobs.ir import Program, RuleTestFile
from gpuobs.spec.node import Node
from gpuobs.targets import unit_tests as target
from gpuobs.verify import failures, running
from gpuobs.verify.failures import Failure, Placed
from gpuobs.verify.promtool import Promtool

CODE = "test/failed"
_FIRING = re.compile(r"count(?: by \([^)]*\))? ?\(\s*ALERTS\{[^}]*alertstate=\"firing\"")


@dataclass(frozen=True, slots=True)
class Report:
    """What ran and what failed."""

    files: int
    cases: int
    assertions: int
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Suite:
    """One test file on disk; `plan` is what it was generated from, None for a file of the project's own."""

    path: Path
    plan: RuleTestFile | None = None


def run(
    promtool: Promtool,
    program: Program | None,
    out: Path,
    own: Sequence[Path],
    pattern: str = "",
    *,
    whole: bool = False,
) -> Report:
    """The generated tests of a program in `out`, and test files of the project's own.

    `pattern` keeps the files whose name, or one of whose alerts or cases, contains it. Generated tests are run alert by
    alert, each with the rules that it reads; `whole` runs the files as they stand, which takes several times as long.
    """
    generated = program.test_files if program is not None else ()
    suites = [Suite(out / target.path(plan.name), plan) for plan in generated]
    suites += [Suite(path) for path in own]
    for suite in suites:
        if not suite.path.is_file():
            message = f"'{display(suite.path)}' is not there: run 'gpuobs build' first"
            raise EnvironmentProblem(message)
    wanted = [suite for suite in suites if _wanted(suite, pattern.lower())]
    passed = set() if whole or program is None else _passing(promtool, program, wanted)
    found = _diagnostics(promtool, [suite for suite in wanted if suite not in passed])
    counted = [_counted(suite) for suite in wanted]
    return Report(
        files=len(wanted),
        cases=sum(cases for cases, _ in counted),
        assertions=sum(assertions for _, assertions in counted),
        diagnostics=tuple(found),
    )


def _wanted(suite: Suite, pattern: str) -> bool:
    if not pattern or pattern in suite.path.stem.lower():
        return True
    if suite.plan is not None:
        return any(pattern in case.name.lower() for case in suite.plan.cases)
    named = re.findall(r"""(?:alertname|name)["']?\s*[:=]\s*(.+)""", _text(suite.path))
    return any(pattern in name.lower() for name in named)


def _counted(suite: Suite) -> tuple[int, int]:
    """Cases and assertions of a file; those of the project's own by the keys that begin them."""
    if suite.plan is not None:
        cases = suite.plan.cases
        return len(cases), sum(len(case.assertions) for case in cases)
    text = _text(suite.path)
    return len(re.findall(r"\binput_series:", text)), len(re.findall(r"\beval_time:", text))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as problem:
        raise EnvironmentProblem(f"cannot read '{display(path)}': {problem.strerror}") from None


# Running -------------------------------------------------------------------------------------------------------------


def _passing(promtool: Promtool, program: Program, suites: Sequence[Suite]) -> set[Suite]:
    """The generated files all of whose pieces pass. The others are run as they stand, to say what fails."""
    from concurrent.futures import Future, ThreadPoolExecutor

    from gpuobs.verify.pieces import RULES, pieces

    with running.scratch() as scratch, ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        runs: dict[Suite, list[Future[str | None]]] = {}
        for suite in suites:
            for number, piece in enumerate(pieces(program, suite.plan) if suite.plan else ()):
                folder = Path(scratch, f"{suite.path.stem}-{number}")
                folder.mkdir()
                (folder / RULES).write_bytes(piece.rules)
                (folder / "tests.yaml").write_bytes(piece.tests)
                run_one = pool.submit(
                    running.output, promtool, folder / "tests.yaml", Path(scratch)
                )
                runs.setdefault(suite, []).append(run_one)
        return {suite for suite in runs if all(r.result() is None for r in runs[suite])}


def _diagnostics(promtool: Promtool, suites: Sequence[Suite]) -> list[Diagnostic]:
    """All failures, in the order of the suites; as many processes as there are cores, the largest file first."""
    from concurrent.futures import ThreadPoolExecutor

    with running.scratch() as scratch, ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        largest_first = sorted(suites, key=lambda suite: -suite.path.stat().st_size)
        runs = {
            suite: pool.submit(_run_one, promtool, suite, Path(scratch)) for suite in largest_first
        }
        return [diagnostic for suite in suites for diagnostic in runs[suite].result()]


def _run_one(promtool: Promtool, suite: Suite, scratch: Path) -> list[Diagnostic]:
    output = running.output(promtool, suite.path, scratch)
    if output is None:
        return []
    if not failures.parse(output):
        return [_cannot_run(suite, output)]
    node = _node(suite.path)
    placed = list(_placed(promtool, suite, node, scratch)) if node is not None else []
    if placed:
        return [_diagnostic(suite, each) for each in placed]
    return [_without_place(suite, failure) for failure in failures.parse(output)]


def _node(path: Path) -> Node | None:
    """The test file with places; None where it uses more of YAML than specs may, such as anchors."""
    from gpuobs.spec.document import read

    node, problems = read(display(path), path.read_bytes())
    return None if problems else node


def _placed(promtool: Promtool, suite: Suite, node: Node, scratch: Path) -> Iterator[Placed]:
    named = promtool.number >= target.NAMES_SINCE
    for first, content in failures.copies(node, suite.path.parent, named):
        copy = scratch / f"{suite.path.stem}-{id(suite)}-{first}.yaml"
        copy.write_bytes(content)
        output = running.output(promtool, copy, scratch)
        yield from failures.placed(failures.parse(output or ""), node, first)


# Reporting -----------------------------------------------------------------------------------------------------------


def _diagnostic(suite: Suite, placed: Placed) -> Diagnostic:
    """A failure at its place: of the spec for a generated test, of the test file for one of the project's own."""
    failure = placed.failure
    place = (placed.assertion or placed.case).span
    if suite.plan is None:
        named = placed.case.get("name")
        name = suite.path.stem if named is None else str(named.value)
        return error(place, CODE, _message(name, "", failure), _hint(failure))
    case = suite.plan.cases[placed.number]
    claim, span = "", case.origin.span
    if failure.assertion is not None:
        planned = case.assertions[failure.assertion]
        claim, span = planned.claim, planned.origin.span
    related = (Related(place, "the test that promtool ran"),)
    return error(span, CODE, _message(case.name, claim, failure), _hint(failure), related)


def _message(name: str, claim: str, failure: Failure) -> str:
    said = f"'{name}' at {failure.time}: {claim}" if claim else f"'{name}' at {failure.time}"
    if failure.problem:
        subject = " ".join(failure.subject.split())
        return f"{said}: '{subject}' cannot be evaluated: {failure.problem}"
    expected, got = (_words(text, failure) for text in (failure.expected, failure.got))
    return f"{said}: expected {expected}, got {got}"


def _words(text: str, failure: Failure) -> str:
    """Samples on one line. The value of a count of alerts says nothing where it is 1."""
    values = failures.samples(text)
    if values is None:
        return failures.alerts(text) or " ".join(text.split())
    firing = bool(_FIRING.match(failure.subject))
    shown = [
        labels if firing and value == 1 else f"{labels} {value:.12g}"
        for labels, value in values.items()
    ]
    return ", ".join(shown) or "nothing"


def _hint(failure: Failure) -> str:
    expected, got = failures.samples(failure.expected), failures.samples(failure.got)
    if failure.problem or failure.is_alert or expected is None or got is None:
        return ""
    verb = "fires for" if _FIRING.match(failure.subject) else "gives"
    missing = [labels for labels in expected if labels not in got]
    surplus = [labels for labels in got if labels not in expected]
    parts = []
    if missing:
        parts.append(f"nothing {verb} {', '.join(missing)}")
    if surplus:
        parts.append(f"it {verb} {', '.join(surplus)} {'instead' if missing else 'too'}")
    parts += [
        f"the value for {labels} differs"
        for labels, value in expected.items()
        if labels in got and got[labels] != value
    ]
    if missing and not got:
        parts.append(
            "look whether the series have these labels, meet the condition, and do so for long enough"
        )
    return "; ".join(parts)


def _without_place(suite: Suite, failure: Failure) -> Diagnostic:
    """A failure of a file whose YAML only promtool reads: at the first line that asks for the same."""
    message = _message(suite.path.stem, "", failure)
    if suite.plan is not None:
        return error(suite.plan.origin.span, CODE, message, failure.subject)
    wanted = failure.subject.split("\n", maxsplit=1)[0]
    lines = _text(suite.path).split("\n")
    number = next((n for n, line in enumerate(lines, 1) if wanted in line), 1)
    return error(Span(display(suite.path), number, 1, number, 2), CODE, message, _hint(failure))


def _cannot_run(suite: Suite, output: str) -> Diagnostic:
    """A file that promtool does not load, or does not finish."""
    lines = (line.strip() for line in output.splitlines())
    said = [
        line
        for line in lines
        if line and line != "FAILED:" and not line.startswith("Unit Testing:")
    ]
    message = f"promtool cannot run '{display(suite.path)}': {'; '.join(said) or 'it says nothing'}"
    if suite.plan is not None:
        return error(suite.plan.origin.span, CODE, message)
    line = re.search(r"\bline ([0-9]+)", message)
    number = int(line.group(1)) if line else 1
    return error(Span(display(suite.path), number, 1, number, 2), CODE, message)
