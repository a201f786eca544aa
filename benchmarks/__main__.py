"""How long a user waits, as ratios from one run: `make bench`.

Each line is the median of several whole processes, beside a bare interpreter and promtool on the same machine in the
same minute. Absolute times drift from machine to machine; the ratios are what to compare.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.generate import policy, rule_file
from gpuobs import foreign, promql
from gpuobs.foreign import world
from gpuobs.foreign.reader import read_stream
from gpuobs.spec.document import decode
from gpuobs.verify.promtool import find

ROOT = Path(__file__).parent.parent
RUNS = 7
GPUOBS = [sys.executable, "-m", "gpuobs"]


def median(
    command: Sequence[str],
    folder: Path,
    before: Callable[[], object] | None = None,
    findings: int = 0,
) -> float:
    """Seconds of a whole process, the median of several runs; `findings` is another exit code that is fine."""
    times = []
    for _ in range(RUNS):
        if before is not None:
            before()
        start = time.perf_counter()
        done = subprocess.run(
            command, cwd=folder, check=False, capture_output=True, env=ENVIRONMENT
        )
        assert done.returncode in (0, findings), done.stderr
        times.append(time.perf_counter() - start)
    return statistics.median(times)


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": ""}


def main() -> None:
    promtool = find()
    with tempfile.TemporaryDirectory() as scratch:
        project = Path(scratch, "reference")
        shutil.copytree(ROOT / "specs", project / "specs")
        large = policy(Path(scratch, "large"), rules=1000)
        bare = median([sys.executable, "-c", "pass"], project)
        click = median([sys.executable, "-c", "import click"], project)
        print(f"bare interpreter {bare * 1000:.0f} ms, import click {click * 1000:.0f} ms\n")
        _line("gpuobs --help", median([*GPUOBS, "--help"], project), bare, "import click", click)
        drop = lambda: shutil.rmtree(project / ".gpuobs", ignore_errors=True)  # noqa: E731
        subprocess.run(
            [*GPUOBS, "build"], cwd=project, check=True, capture_output=True, env=ENVIRONMENT
        )
        check = [promtool.path, "check", "rules", *_rules(project)]
        judged = median(check, project)
        _line("lint, cold", median([*GPUOBS, "lint"], project, drop), bare, "promtool", judged)
        _line("lint, nothing changed", median([*GPUOBS, "lint"], project), bare, "promtool", judged)
        touched = lambda: _touch(project)  # noqa: E731
        _line(
            "lint, one file changed",
            median([*GPUOBS, "lint"], project, touched),
            bare,
            "promtool",
            judged,
        )
        _line("build, cold", median([*GPUOBS, "build"], project, drop), bare, "promtool", judged)
        _line(
            "build, nothing changed", median([*GPUOBS, "build"], project), bare, "promtool", judged
        )
        clean = lambda: shutil.rmtree(large / "generated", ignore_errors=True)  # noqa: E731
        built = median([*GPUOBS, "build"], large, clean)
        judged = median([promtool.path, "check", "rules", *_rules(large)], large)
        _line("build, 1,000 rules with tests", built, bare, "promtool", judged)
        others = rule_file(Path(scratch, "others.yaml"), _rules(project), rules=1000)
        judged = median([promtool.path, "check", "rules", "--lint=none", str(others)], project)
        linted = median([*GPUOBS, "lint", str(others)], project, findings=1)
        _line("lint, 1,000 rules of others", linted, bare, "promtool", judged)
        _line("  of which analysis", analysis(others), bare, "promtool", judged)


def analysis(file: Path) -> float:
    """Seconds that parsing, shapes and all checks of a rule file take beyond the reading of its YAML."""
    fleet, times = world.built_in(), []
    for _ in range(RUNS):
        promql.parse.cache_clear()
        start = time.perf_counter()
        source, _ = decode(str(file), file.read_bytes())
        assert source is not None
        read_stream(source)
        read = time.perf_counter()
        foreign.lint([file], fleet)
        times.append(time.perf_counter() - read - (read - start))
    return statistics.median(times)


def _rules(project: Path) -> list[str]:
    return [str(path) for path in sorted(project.glob("generated/prometheus/rules/*.yaml"))]


def _touch(project: Path) -> None:
    file = project / "specs" / "tiers.yaml"
    file.write_text(file.read_text() + f"# {time.monotonic_ns()}\n")


def _line(what: str, seconds: float, bare: float, other: str, beside: float) -> None:
    ratios = f"{seconds / bare:5.1f} x bare, {seconds / beside:5.2f} x {other}"
    print(f"{what:<32} {seconds * 1000:6.0f} ms  {ratios}")


if __name__ == "__main__":
    main()
