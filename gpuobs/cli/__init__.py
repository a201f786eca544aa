"""The command line: one file a command. Each parses arguments, calls one function, prints and picks the exit code."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

import click

from gpuobs import __version__
from gpuobs.cache import Question
from gpuobs.cli.commands import COMMANDS
from gpuobs.diagnostics import EnvironmentProblem

_BUG = f"""
This is a bug in gpuobs {__version__}, not in your specs. Please report it with the lines above and the spec that brings
it about."""


class Commands(click.Group):
    """The commands by name, each loaded when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        from importlib import import_module

        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"gpuobs.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            from gpuobs.nearest import did_you_mean

            ctx.fail(f"no command '{args[0]}': {did_you_mean(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="gpuobs %(version)s")
def cli() -> None:
    """Compile GPU observability specs into Prometheus rules, and tests that prove them."""


def run(arguments: Sequence[str], asked: Question | None = None) -> int:
    """Run a command line to its exit code; the only place that turns exceptions into exit codes.

    `asked` is for the cache, where it can serve this command line.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = cli.main(list(arguments), prog_name="gpuobs", standalone_mode=False, obj=asked)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.Abort:
        return 130
    except click.ClickException as problem:
        problem.show()
        return 2
    except EnvironmentProblem as problem:
        click.echo(f"gpuobs: {problem}", err=True)
        return 2
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException:  # noqa: BLE001 (a panic of a library in Rust is no Exception)
        import traceback

        traceback.print_exc()
        click.echo(_BUG, err=True)
        return 3
    return code if isinstance(code, int) else 0
