"""What is installed, which versions are used, what is missing and how to get it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuobs.diagnostics import EnvironmentProblem
from gpuobs.verify import promtool

_LIBRARIES = {
    "click": "click",
    "pyyaml": "yaml",
    "jsonschema": "jsonschema",
    "promql-parser": "promql_parser",
    "grafanalib": "grafanalib",
}
_OLDEST_PYTHON, _NEWEST_PYTHON = (3, 11), (3, 14)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that gpuobs uses. `ok` is False where it is missing or unfit; `help` says how to get it."""

    name: str
    value: str
    ok: bool = True
    help: str = ""
    optional: bool = False


def report() -> tuple[Finding, ...]:
    """Everything that gpuobs uses on this machine, without the network."""
    return (*_python(), *_libraries(), *_jsonnet(), *_promtool(), *_optional())


def _python() -> Iterator[Finding]:
    import sys

    from gpuobs import __version__

    yield Finding("gpuobs", __version__)
    number = sys.version_info[:2]
    supported = _OLDEST_PYTHON <= number <= _NEWEST_PYTHON
    help_ = "" if supported else "gpuobs supports Python 3.11 to 3.14"
    yield Finding("python", f"{sys.version.split()[0]} ({sys.executable})", supported, help_)


def _libraries() -> Iterator[Finding]:
    import importlib.util

    for package, module in _LIBRARIES.items():
        if importlib.util.find_spec(module) is None:
            yield Finding(package, "missing", ok=False, help=f"pip install {package}")
        else:
            yield Finding(package, _version(package))
    if importlib.util.find_spec("yaml") and not importlib.util.find_spec("yaml._yaml"):
        help_ = "install a wheel of pyyaml, or build it with libyaml-dev installed"
        yield Finding("libyaml", "missing: pyyaml is without its C parser", ok=False, help=help_)


def _jsonnet() -> Iterator[Finding]:
    import importlib.util

    if importlib.util.find_spec("_jsonnet") is not None:
        yield Finding("jsonnet", _version("jsonnet"))
        return
    help_ = (
        "pip install jsonnet (it needs a C++ compiler where there is no wheel, as on Linux on ARM)"
    )
    missing = "missing: only .jsonnet specs need it"
    yield Finding("jsonnet", missing, ok=False, help=help_, optional=True)


def _promtool() -> Iterator[Finding]:
    try:
        tool = promtool.find()
    except EnvironmentProblem as problem:
        yield Finding("promtool", "missing", ok=False, help=str(problem))
        return
    yield Finding(
        "promtool", f"{tool.version} ({tool.path}, {tool.origin})", help=_passed_over(tool)
    )


def _passed_over(used: promtool.Promtool) -> str:
    """Why a promtool that somebody may expect is not the one in use."""
    import os

    named = os.environ.get(promtool.VARIABLE)
    if named and named != str(used.path):
        return f"${promtool.VARIABLE} names '{named}', which is used only where PATH has none"
    return ""


def _optional() -> Iterator[Finding]:
    import shutil

    wanted = {
        "git": ("only comparing with an earlier revision needs it", "apt install git"),
        "amtool": (
            "only checking Alertmanager configuration needs it",
            "apt install prometheus-alertmanager",
        ),
    }
    for name, (reason, help_) in wanted.items():
        path = shutil.which(name)
        if path:
            yield Finding(name, path)
        else:
            yield Finding(name, f"missing: {reason}", ok=False, help=help_, optional=True)


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown version"
