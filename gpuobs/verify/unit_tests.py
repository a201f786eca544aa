"""promtool's unit tests, in parallel, with every failure led back to the spec that it comes from."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gpuobs.diagnostics import Diagnostic, EnvironmentProblem, Span, error
from gpuobs.files import display
from gpuobs.ir import Assertion, Program, TestCase, TestFile
from gpuobs.spec.scalars import Duration
from gpuobs.targets import unit_tests as target
from gpuobs.verify.promtool import Promtool

CODE = "test/failed"
_SECONDS_PER_FILE = 600
# promtool 2.42, 2.53 and 3.5 print one block for each failure; 3.5 puts the test's name before it where there is one.
_FAILURE = re.compile(
    r'expr: "(?P<expr>(?:[^"\\]|\\.)*)", time: (?P<time>[0-9a-z]+),(?P<rest>.*?)(?=\n\s*expr: "|\n\s*\n|\Z)',
    re.DOTALL,
)
_GOT = re.compile(r"exp:(?P<exp>.*?)\n?\s*got:(?P<got>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TestReport:
    """What ran and what failed."""

    files: int
    cases: int
    assertions: int
    diagnostics: tuple[Diagnostic, ...] = field(default=())


def run(
    promtool: Promtool, program: Program, out: Path, own: Sequence[Path], pattern: str = ""
) -> TestReport:
    """The generated tests of a program in `out`, and test files of the project's own.

    `pattern` keeps the files whose name, or one of whose alerts or cases, contains it.
    """
    generated = {
        out / target.path(file.name): file for file in program.test_files if _wanted(file, pattern)
    }
    theirs = [path for path in own if pattern.lower() in path.name.lower()]
    missing = [path for path in generated if not path.is_file()]
    if missing:
        raise EnvironmentProblem(f"'{display(missing[0])}' is not there: run 'gpuobs build' first")
    results = _outputs(promtool, [*generated, *theirs])
    diagnostics: list[Diagnostic] = []
    for path, output in results.items():
        if output is None:
            continue
        if path in generated:
            diagnostics += _failures(generated[path], output, path)
        else:
            diagnostics += _own_failures(path, output)
    cases = [case for file in generated.values() for case in file.cases]
    assertions = sum(len(case.assertions) for case in cases)
    counted = [_count(path) for path in theirs]
    return TestReport(
        files=len(results),
        cases=len(cases) + sum(count for count, _ in counted),
        assertions=assertions + sum(count for _, count in counted),
        diagnostics=tuple(diagnostics),
    )


def _count(path: Path) -> tuple[int, int]:
    """Cases and assertions of a test file, by the keys that begin them."""
    text = path.read_text(encoding="utf-8", errors="replace")
    cases = len(re.findall(r"^\s*input_series:", text, re.MULTILINE))
    return cases, len(re.findall(r"^\s*(?:- )?eval_time:|[{,]\s*eval_time:", text, re.MULTILINE))


def _wanted(file: TestFile, pattern: str) -> bool:
    names = (file.name, *(case.name for case in file.cases))
    return any(pattern.lower() in name.lower() for name in names)


def _outputs(promtool: Promtool, paths: Sequence[Path]) -> Mapping[Path, str | None]:
    """What promtool says of each file; None where it passes. As many processes as there are cores."""
    from concurrent.futures import ThreadPoolExecutor

    environment = dict(os.environ)
    if os.access("/dev/shm", os.W_OK):
        environment["TMPDIR"] = "/dev/shm"

    def one(path: Path) -> str | None:
        try:
            done = subprocess.run(
                [promtool.path, "test", "rules", path.name],
                cwd=path.parent,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=_SECONDS_PER_FILE,
            )
        except subprocess.TimeoutExpired:
            return f"promtool did not finish within {_SECONDS_PER_FILE} seconds"
        except OSError as problem:
            raise EnvironmentProblem(f"cannot run '{promtool.path}': {problem}") from None
        return None if done.returncode == 0 else done.stdout + done.stderr

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return dict(zip(paths, pool.map(one, paths), strict=True))


def _failures(file: TestFile, output: str, path: Path) -> Iterator[Diagnostic]:
    """Failures of a generated file at the places in the specs that they come from."""
    found = False
    for match in _FAILURE.finditer(output):
        expression = match["expr"].encode().decode("unicode_escape", "replace")
        for case, assertion in _matching(file, expression, match["time"]):
            found = True
            expected, got = _compared(match["rest"])
            message = f"{case.name}: {assertion.claim}, but promtool got {got}"
            hint = f"expected {expected} of {assertion.expr}"
            yield error(assertion.origin.span, CODE, message, hint)
            break
    if not found:
        span = file.origin.span
        yield error(span, CODE, f"promtool cannot run '{display(path)}'", _clean(output))


def _matching(
    file: TestFile, expression: str, time: str
) -> Iterator[tuple[TestCase, Assertion]]:
    seconds = Duration(time).seconds
    for case in file.cases:
        for assertion in case.assertions:
            if assertion.expr == expression and Duration(assertion.at).seconds == seconds:
                yield case, assertion


def _compared(rest: str) -> tuple[str, str]:
    """What was expected and what came out, in one line each."""
    match = _GOT.search(rest)
    if match is None:
        return "something else", _clean(rest) or "an error"
    return _samples(match["exp"]), _samples(match["got"])


def _samples(text: str) -> str:
    lines = [line.strip().rstrip(",") for line in text.strip().splitlines() if line.strip()]
    joined = " ".join(lines)
    return "nothing" if joined in ("", "nil", "[]") else joined


def _clean(output: str) -> str:
    lines = (line.strip() for line in output.splitlines())
    return "; ".join(line for line in lines if line and not line.startswith("Unit Testing") and line != "FAILED:")


def _own_failures(path: Path, output: str) -> Iterator[Diagnostic]:
    """Failures of a hand-written file, at the line that holds the expression."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    found = False
    for match in _FAILURE.finditer(output):
        found = True
        expected, got = _compared(match["rest"])
        expression = match["expr"].encode().decode("unicode_escape", "replace")
        number = next((n for n, line in enumerate(lines, 1) if expression in line), 1)
        span = Span(display(path), number, 1, number, 1)
        message = f"at {match['time']}: expected {expected}, got {got}"
        yield error(span, CODE, message, expression)
    if not found:
        yield error(Span(display(path), 1, 1, 1, 1), CODE, "this test fails", _clean(output))
