"""Options and output that commands share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import click

from gpuobs import reporters
from gpuobs.diagnostics import Diagnostic, EnvironmentProblem
from gpuobs.files import read_bytes

F = TypeVar("F", bound=Callable[..., Any])


def _folder(option: str, default: str, help_: str) -> Callable[[F], F]:
    kind = click.Path(path_type=Path)
    return click.option(option, type=kind, default=Path(default), show_default=True, help=help_)


OUT = "generated"
specs = _folder("--specs", "specs", "Folder of the specs.")
out = _folder("--out", OUT, "Folder of the output.")
tests = _folder("--tests", "rules_tests", "Folder of the project's own promtool tests.")
format_ = click.option(
    "--format",
    "format_",
    type=click.Choice(list(reporters.FORMATS)),
    default="text",
    show_default=True,
    help="How findings are reported; text goes to standard error.",
)
strict = click.option("--strict", is_flag=True, help="Fail on warnings too.")
quiet = click.option("-q", "--quiet", is_flag=True, help="Say nothing but findings.")
color = click.option(
    "--color/--no-color", default=None, help="Colour; by default on a terminal, without NO_COLOR."
)
# The cache is asked before this line is parsed: it serves no command line that has this option.
no_cache = click.option(
    "--no-cache",
    is_flag=True,
    expose_value=False,
    help="Compute everything; or set GPUOBS_NO_CACHE.",
)


def _pairs(ctx: click.Context, option: click.Parameter, values: Sequence[str]) -> dict[str, str]:
    pairs = [value.partition("=") for value in values]
    for name, equal, _ in pairs:
        if not equal or not name:
            raise click.BadParameter("such as --ext-str region=eu-west-1", ctx=ctx, param=option)
    return {name: value for name, _, value in pairs}


ext_str = click.option(
    "--ext-str",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_pairs,
    help="External variable for .jsonnet specs.",
)


def options(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Several options at once, in the order of the help text."""

    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def report(diagnostics: Sequence[Diagnostic], format_: str, color: bool | None) -> str:
    """Findings as text go to standard error, in any other format to standard output. Returns the former."""
    if format_ != "text":
        click.echo(reporters.render(format_, diagnostics, read_line))
        return ""
    if color is None:
        color = not os.environ.get("NO_COLOR") and sys.stderr.isatty()
    text = reporters.render(format_, diagnostics, read_line, color=color)
    text += "\n" if text else ""
    click.echo(text, err=True, nl=False, color=color)
    return text


def last_report(folder: Path) -> str:
    """The budget's report of the last build; empty where there is none that can be read."""
    try:
        return read_bytes(folder / "budget" / "report.json").decode("utf-8", "replace")
    except EnvironmentProblem:
        return ""


def exit_code(diagnostics: Sequence[Diagnostic], strict: bool) -> int:
    failed = any(strict or diagnostic.severity == "error" for diagnostic in diagnostics)
    return 1 if failed else 0


def test_files(folder: Path) -> list[Path]:
    """The project's own promtool tests."""
    return sorted([*folder.glob("*.yaml"), *folder.glob("*.yml")]) if folder.is_dir() else []


def today() -> date:
    """The day by UTC, which is the same for everyone who runs the same commit: `cache.py` asks the same clock."""
    return datetime.now(UTC).date()


def remember(text: str) -> None:
    """Keep what a clean run printed, where the cache can serve its command line."""
    asked = click.get_current_context().obj
    if asked is not None:
        from gpuobs.cache import remember

        remember(asked, text)


_NARROWEST, _USUAL, _WIDEST = 80, 120, 160


def width() -> int:
    """Columns of the terminal that is printed to; 120 where it is none."""
    if not sys.stdout.isatty():
        return _USUAL
    from shutil import get_terminal_size

    return max(_NARROWEST, min(_WIDEST, get_terminal_size((_USUAL, 24)).columns))


_EXCERPT_LIMIT = 5_000_000  # bytes; no spec is larger


@cache
def _lines(file: str) -> Sequence[str]:
    """A regular file's lines; none of what a link leads to, of a device or of a file without end."""
    place = Path(file)
    try:
        if place.is_symlink() or not place.is_file() or place.stat().st_size > _EXCERPT_LIMIT:
            return ()
        return place.read_text(encoding="utf-8-sig", errors="replace").split("\n")
    except (OSError, ValueError):
        return ()


def read_line(file: str, number: int) -> str:
    """A line of a file by its number, for the excerpt under a finding."""
    lines = _lines(file)
    return lines[number - 1] if 0 < number <= len(lines) else ""
