"""gpuobs budget"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpuobs.cli import common

if TYPE_CHECKING:
    from gpuobs.ir import Program

SUBCOMMANDS = {
    "what-if": ("gpuobs.cli.what_if", "What changes would cost, and which limit they would break."),
    "audit": ("gpuobs.cli.audit", "Compare the account with what a running server holds."),
}


class _Budget(click.Group):
    """The report, and what else can be asked of the account; each loaded when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        from importlib import import_module

        if cmd_name not in SUBCOMMANDS:
            return None
        found: click.Command = import_module(SUBCOMMANDS[cmd_name][0]).command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in SUBCOMMANDS:
            from gpuobs.nearest import did_you_mean

            hint = did_you_mean(args[0], SUBCOMMANDS) or f"it has {', '.join(SUBCOMMANDS)}"
            ctx.fail(f"'gpuobs budget' has no command '{args[0]}': {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, what) for name, (_, what) in SUBCOMMANDS.items()])


@click.group(name="budget", cls=_Budget, invoke_without_command=True)
@common.options(
    common.specs,
    click.option("--cluster", default="", help="Only this cluster."),
    click.option(
        "--by",
        type=click.Choice(["metric", "label", "pool", "rule", "group"]),
        help="A table by one of these, instead of the summary.",
    ),
    click.option(
        "--top", type=click.IntRange(1), default=10, show_default=True, help="Rows of each table."
    ),
    common.ext_str,
    click.option(
        "--format",
        "format_",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
    ),
    common.color,
)
@click.pass_context
def command(
    ctx: click.Context,
    specs: Path,
    cluster: str,
    by: str | None,
    top: int,
    ext_str: dict[str, str],
    format_: str,
    color: bool | None,
) -> int:
    """Print what monitoring the fleet costs: series, samples, reads and bytes, each with its sum.

    Exit code 1 where a limit of the Budget is exceeded.
    """
    if ctx.invoked_subcommand is not None:
        return 0
    program = compiled(specs, ext_str, color)
    if program is None:
        return 1
    from gpuobs.budget.report import report

    found = report(program)
    known = [each.name for each in found.clusters]
    if cluster and cluster not in known:
        from gpuobs.nearest import did_you_mean

        hint = did_you_mean(cluster, known) or "it has " + ", ".join(known)
        raise click.BadParameter(f"no cluster '{cluster}': {hint}", param_hint="--cluster")
    if format_ == "json":
        import json

        from gpuobs.budget.as_json import tree

        click.echo(json.dumps({"budget": tree(found)}, indent=2))
    else:
        from gpuobs.budget.text import lines

        shown = lines(found, cluster=cluster, by=by or "", top=top, width=common.width())
        for line in shown:
            click.echo(coloured(line, color), color=color)
    return 1 if found.exceeded else 0


def compiled(specs: Path, ext_str: dict[str, str], color: bool | None) -> Program | None:
    """The program of the specs. A broken limit does not stop it: that is what the report is about."""
    from gpuobs.pipeline import check_project

    done = check_project(specs, ext_str=ext_str)
    if done.program is None:
        common.report(done.diagnostics, "text", color)
    return done.program


def coloured(line: str, color: bool | None) -> str:
    """A line of the report as a terminal shows it: headings bold, limits by their state."""
    from gpuobs.budget.text import EXCEEDED, NEAR

    if color is None:
        color = not os.environ.get("NO_COLOR") and sys.stdout.isatty()
    if not color:
        return line
    if line.endswith(EXCEEDED):
        return click.style(line, fg="red", bold=True)
    if line.endswith(NEAR):
        return click.style(line, fg="yellow")
    return click.style(line, bold=True) if line and not line.startswith(" ") else line
