"""Options and output that commands share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import click

from gpuobs import reporters
from gpuobs.diagnostics import Diagnostic

F = TypeVar("F", bound=Callable[..., Any])

specs = click.option(
    "--specs", type=click.Path(path_type=Path), default=Path("specs"), show_default=True, help="Folder of the specs."
)
out = click.option(
    "--out", type=click.Path(path_type=Path), default=Path("generated"), show_default=True, help="Folder of the output."
)
format_ = click.option(
    "--format",
    "format_",
    type=click.Choice(list(reporters.FORMATS)),
    default="text",
    show_default=True,
    help="How findings are reported.",
)
strict = click.option("--strict", is_flag=True, help="Fail on warnings too.")
quiet = click.option("-q", "--quiet", is_flag=True, help="Say nothing but findings.")
color = click.option("--color/--no-color", default=None, help="Colour, by default on a terminal only.")


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


def wants_color(chosen: bool | None, stream: Any) -> bool:
    if chosen is not None:
        return chosen
    return not os.environ.get("NO_COLOR") and bool(stream.isatty())


def report(diagnostics: Sequence[Diagnostic], format_: str, chosen_color: bool | None) -> None:
    """Findings as text go to stderr; in any other format they are the result, and go to stdout."""
    to_stdout = format_ != "text"
    stream = sys.stdout if to_stdout else sys.stderr
    text = reporters.render(
        format_, diagnostics, read_line, color=wants_color(chosen_color, stream)
    )
    if text:
        click.echo(text, err=not to_stdout, color=True)


def exit_code(diagnostics: Sequence[Diagnostic], strict_: bool) -> int:
    failed = any(strict_ or diagnostic.severity == "error" for diagnostic in diagnostics)
    return 1 if failed else 0


@cache
def _lines(file: str) -> Sequence[str]:
    try:
        return Path(file).read_text(encoding="utf-8-sig", errors="replace").split("\n")
    except OSError:
        return ()


def read_line(file: str, number: int) -> str:
    """A line of a file by its number, for the excerpt under a finding."""
    lines = _lines(file)
    return lines[number - 1] if 0 < number <= len(lines) else ""
