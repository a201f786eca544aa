"""gpuobs explain"""

from __future__ import annotations

from pathlib import Path

import click

from gpuobs.cli import common


@click.command(name="explain")
@click.argument("name", required=False)
@common.options(common.specs, common.ext_str)
def command(name: str | None, specs: Path, ext_str: dict[str, str]) -> int:
    """Explain NAME: a check, an alert, a recorded series, a signal, a metric, a GPU model or an XID.

    Without NAME, list the checks. `signals`, `metrics`, `gpu-models` and `xid` list what there is of these.
    """
    from gpuobs import explain

    if name is None:
        click.echo("\n".join(explain.index()))
        return 0
    page = explain.page(name) or explain.in_project(name, specs, ext_str)
    if page is None:
        from gpuobs.nearest import did_you_mean

        hint = did_you_mean(name, explain.known())
        raise click.BadParameter(f"nothing is called '{name}'. {hint}", param_hint="NAME")
    click.echo(page)
    return 0
