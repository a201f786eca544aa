"""gpuobs explain"""

from __future__ import annotations

from pathlib import Path

import click

from gpuobs.cli import common


@click.command(name="explain")
@click.argument("name", required=False)
@common.options(
    common.specs,
    common.ext_str,
    click.option(
        "--fleet", type=click.Path(path_type=Path), help="Fleet document instead of the specs."
    ),
)
def command(name: str | None, specs: Path, ext_str: dict[str, str], fleet: Path | None) -> int:
    """Explain NAME: a check or an area of them, an alert, a recorded series, a signal, a metric, a catalog, a GPU model
    or an XID.

    Without NAME, list the checks. `signals`, `metrics`, `catalogs`, `gpu-models` and `xid` list what there is of these.
    """
    from gpuobs import explain

    if name is None:
        click.echo("\n".join(explain.index()))
        return 0
    page = explain.page(name)
    if page is None:
        if fleet is not None:
            program, mistakes = explain.of_fleet(fleet)
            unsearched = ""
            if program is None:
                common.report(mistakes, "text", None)
                return 1
        else:
            program, unsearched = explain.project(specs, ext_str)
        if program is not None:
            page = explain.in_project(name, program)
        page = page or explain.metric(name, program)
        if page is None:
            from gpuobs.nearest import did_you_mean

            names = [*explain.known(), *(explain.known_in(program) if program is not None else ())]
            words = [f"nothing is called '{name}'.", did_you_mean(name, names), unsearched]
            raise click.BadParameter(" ".join(filter(None, words)), param_hint="NAME")
        if program is None and unsearched and specs.is_dir():
            click.echo(unsearched, err=True)
    click.echo(page)
    return 0
