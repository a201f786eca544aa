"""Finding promtool, and fetching one without root where there is none.

Looking never touches the network: the promtool on PATH, else the one that $PROMTOOL names, else one that was fetched
before. Fetching asks the distribution's own package first, and else takes a pinned package of Debian's archive.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from gpuobs.diagnostics import EnvironmentProblem

VARIABLE = "PROMTOOL"
# The first with keep_firing_for, and what Debian 12 packages.
OLDEST = (2, 42)
HELP = "install promtool (on Debian 13 'apt install promtool', elsewhere often in the package prometheus), name one in $PROMTOOL, or run 'gpuobs doctor --fetch'"


@dataclass(frozen=True, slots=True)
class Promtool:
    """A promtool that runs. `origin` says how it was found."""

    path: Path
    version: str
    origin: str

    @property
    def number(self) -> tuple[int, int]:
        """Major and minor version."""
        major, minor, *_ = self.version.split(".")
        return int(major), int(minor)


def find() -> Promtool:
    """The promtool to use; EnvironmentProblem where there is none, or it is unusable."""
    on_path = shutil.which("promtool")
    if on_path:
        return _usable(Path(on_path), "on PATH")
    named = os.environ.get(VARIABLE)
    if named:
        return _usable(Path(named), f"named by ${VARIABLE}")
    cached = fetched()
    if cached:
        return cached[0]
    raise EnvironmentProblem(f"there is no promtool: {HELP}")


def cache() -> Path:
    """Where fetched promtools are kept; safe to delete."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 -- it never fails
    return Path(base, "gpuobs", "promtool").absolute()


def fetched() -> tuple[Promtool, ...]:
    """Those fetched before, the newest first."""
    found = [_usable(path, "fetched earlier") for path in sorted(cache().glob("*/promtool"))]
    return tuple(sorted(found, key=lambda tool: tool.number, reverse=True))


def fetch(version: str = "") -> Promtool:
    """Fetches a promtool into the cache: any that is new enough, or the one of '2.42', '2.53' or '3.5'.

    Uses the network, needs no root, and raises EnvironmentProblem where nothing can be reached.
    """
    from gpuobs.verify import packages

    if version:
        kept = cache() / version / "promtool"
        if kept.exists():
            return _usable(kept, "fetched earlier")
        return _keep(packages.pinned(version), f"Debian's archive, {version}")
    problems: list[str] = []
    for source, program in _sources():
        try:
            return _keep(program(), source)
        except EnvironmentProblem as problem:
            problems.append(str(problem))
    raise EnvironmentProblem(f"cannot fetch promtool: {'; '.join(problems)}")


def _sources() -> Iterator[tuple[str, Callable[[], bytes]]]:
    from gpuobs.verify import packages

    yield "the distribution's package", packages.of_the_distribution
    for version in packages.PINNED:
        yield f"Debian's archive, {version}", partial(packages.pinned, version)


def _keep(program: bytes, source: str) -> Promtool:
    """Puts a program into the cache under its version, whole or not at all."""
    folder = cache()
    new = folder / f"promtool.{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        new.write_bytes(program)
        new.chmod(0o755)
    except OSError as problem:
        raise EnvironmentProblem(f"cannot write '{problem.filename}': {problem.strerror}") from None
    try:
        tool = _usable(new.absolute(), source)
        kept = folder / ".".join(str(part) for part in tool.number) / "promtool"
        kept.parent.mkdir(exist_ok=True)
        new.replace(kept)
    finally:
        new.unlink(missing_ok=True)
    return Promtool(kept, tool.version, f"fetched from {source}")


def _usable(path: Path, origin: str) -> Promtool:
    import subprocess

    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        message = f"the promtool {origin} ('{path}') does not run: {problem}"
        raise EnvironmentProblem(message) from problem
    version = re.search(r"version ([0-9]+\.[0-9]+\.[0-9]+)", done.stdout + done.stderr)
    if done.returncode != 0 or version is None:
        raise EnvironmentProblem(f"the promtool {origin} ('{path}') does not say its version")
    tool = Promtool(path, version.group(1), origin)
    if tool.number < OLDEST:
        message = f"the promtool {origin} ('{path}') is {tool.version}, older than 2.42"
        raise EnvironmentProblem(f"{message}: {HELP}")
    return tool
