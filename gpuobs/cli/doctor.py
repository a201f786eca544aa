"""gpuobs doctor"""

from __future__ import annotations

import click


@click.command(name="doctor")
@click.option(
    "--fetch",
    is_flag=True,
    help="Fetch a promtool if there is none. The only command that uses the network.",
)
def command(fetch: bool) -> int:
    """Say what is installed, which versions are used, what is missing and how to get it."""
    from gpuobs.diagnostics import EnvironmentProblem
    from gpuobs.verify import doctor, promtool

    if fetch:
        try:
            promtool.find()
        except EnvironmentProblem:
            click.echo("fetching promtool", err=True)
            promtool.fetch()
    findings = doctor.report()
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        mark = "ok" if finding.ok else "--"
        click.echo(f"{mark}  {finding.name:<{width}}  {finding.value}")
        if finding.help:
            click.echo(f"    {'':<{width}}  {finding.help}")
    return 0 if all(finding.ok or finding.optional for finding in findings) else 2
