"""gpuobs graph"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpuobs.cli import common

if TYPE_CHECKING:
    from gpuobs.graph import Graph, Node
    from gpuobs.ir import Program


@click.command(name="graph")
@common.options(
    click.argument("name", required=False),
    common.specs,
    click.option("--unused", is_flag=True, help="List what nobody uses, and what to remove."),
    common.ext_str,
    click.option(
        "--format",
        "format_",
        type=click.Choice(["text", "json", "mermaid", "dot"]),
        default="text",
        show_default=True,
        help="How it is written.",
    ),
    common.color,
)
def command(
    name: str | None,
    specs: Path,
    unused: bool,
    ext_str: dict[str, str],
    format_: str,
    color: bool | None,
) -> int:
    """Show what feeds what: metric, signal, rollup, alert, receiver.

    With NAME, what feeds this metric, signal, rollup, alert or receiver, and who uses it.
    """
    from gpuobs.graph import graph
    from gpuobs.pipeline import check_project

    if unused and (name is not None or format_ not in ("text", "json")):
        raise click.UsageError("--unused is a list of all, as text or json")
    done = check_project(specs, ext_str=ext_str)
    if done.program is None:
        common.report(done.diagnostics, "text", color)
        return 1
    found = graph(done.program)
    if unused:
        click.echo(_unused(found, done.program, format_))
    elif name is None:
        click.echo(_whole(found, format_))
    else:
        nodes = found.named(name)
        if not nodes:
            raise click.BadParameter(_unknown(name, found, done.program), param_hint="NAME")
        click.echo(_around(found, nodes, format_))
    return 0


def _unused(found: Graph, program: Program, format_: str) -> str:
    from gpuobs.graph import unused

    report = unused.unused(found, program)
    return unused.as_json(report) if format_ == "json" else unused.as_text(report)


def _whole(found: Graph, format_: str) -> str:
    from gpuobs.graph import draw, text

    if format_ == "text":
        return text.whole(found)
    return draw.FORMATS[format_](found.in_use)


def _around(found: Graph, nodes: tuple[Node, ...], format_: str) -> str:
    from gpuobs.graph import draw, text

    if format_ == "text":
        return text.around(found, nodes)
    return draw.FORMATS[format_](found.around(nodes))


def _unknown(name: str, found: Graph, program: Program) -> str:
    from gpuobs.nearest import did_you_mean

    if program.policy is not None and name in program.policy.known:
        catalog = program.policy.known[name][1].name
        return f"'{name}' of catalog '{catalog}' is not collected on this fleet."
    hint = did_you_mean(name, (node.name for node in found.nodes))
    return " ".join(filter(None, [f"nothing is called '{name}'.", hint]))
