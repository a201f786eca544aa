"""What is installed, which version is used and why, and how to get what is missing."""

from __future__ import annotations

import platform
from dataclasses import dataclass

from gpuobs import __version__
from gpuobs.diagnostics import EnvironmentProblem
from gpuobs.verify import promtool

LIBRARIES = ("yaml", "click", "jsonschema", "promql_parser", "_jsonnet", "grafanalib")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that gpuobs needs. `help` says how to get it where it is missing."""

    name: str
    value: str
    ok: bool
    help: str = ""


def report() -> tuple[Finding, ...]:
    """Everything that a run needs, found or not."""
    return (
        Finding("gpuobs", __version__, True),
        Finding("python", platform.python_version(), True),
        _promtool(),
        *(_library(name) for name in LIBRARIES),
        _program("git", "needed to see what changed since a commit"),
    )


def _promtool() -> Finding:
    try:
        found = promtool.find()
    except EnvironmentProblem as problem:
        return Finding("promtool", "missing", False, str(problem))
    return Finding("promtool", f"{found.version} {found.origin}: {found.path}", True)


def _library(name: str) -> Finding:
    from importlib.util import find_spec

    if find_spec(name) is None:
        return Finding(name, "missing", False, "run 'make build', or reinstall gpuobs with its dependencies")
    return Finding(name, "installed", True)


def _program(name: str, why: str) -> Finding:
    from shutil import which

    path = which(name)
    if path is None:
        return Finding(name, "missing", False, f"{why}: install it with the system's packages")
    return Finding(name, path, True)
