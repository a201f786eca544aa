"""gpuobs simulate"""

from __future__ import annotations

from pathlib import Path

import click

from gpuobs.cli import common


@click.command(name="simulate")
@common.options(
    common.specs,
    click.option(
        "--listen",
        default="127.0.0.1:9464",
        show_default=True,
        metavar="HOST:PORT",
        help="Where to answer; port 0 is any free one.",
    ),
    click.option(
        "--incident",
        "incidents",
        multiple=True,
        metavar="NAME[@NODE[/GPU]]",
        help="Something that goes wrong, such as xid-79@NODE/gpu5.",
    ),
    click.option("--incidents", "list_", is_flag=True, help="List the incidents, and end."),
    click.option(
        "--once", nargs=2, metavar="JOB NODE", help="Print the page of one target, and end."
    ),
    common.ext_str,
    common.color,
)
def command(
    specs: Path,
    listen: str,
    incidents: tuple[str, ...],
    list_: bool,
    once: tuple[str, str] | None,
    ext_str: dict[str, str],
    color: bool | None,
) -> int:
    """Serve the metrics of the specs' fleet as its exporters would, pods that come and go included.

    Prometheus scrapes it with the generated scrape configuration, where http_sd_configs and proxy_url name this server.
    """
    from gpuobs.pipeline import check_project

    if list_:
        _print_incidents()
        return 0
    done = check_project(specs, ext_str=ext_str)
    if done.program is None or done.program.policy is None:
        common.report(done.diagnostics, "text", color)
        return 1
    from gpuobs.simulate.server import simulation

    found = simulation(done.program.policy, incidents)
    if once is not None:
        status, _, body = found.answer(f"/targets/{once[0]}/{once[1]}")
        click.echo(body.decode(), nl=False, err=status != 200)
        return 0 if status == 200 else 2
    host, _, port = listen.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise click.BadParameter("such as 127.0.0.1:9464", param_hint="--listen")
    _serve(found, host, int(port))
    return 0


def _print_incidents() -> None:
    from gpuobs.simulate.incidents import catalogue

    entries = list(catalogue())
    width = max(len(name) for name, _ in entries)
    for name, what in entries:
        click.echo(f"{name:<{width}}  {what}")


def _serve(found: object, host: str, port: int) -> None:
    import signal
    import threading

    from gpuobs.simulate.server import Simulation, serving

    assert isinstance(found, Simulation)
    ended = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: ended.set())
    with serving(found, host, port) as url:
        click.echo(f"{url} answers for {len(found.targets):,} targets; Ctrl-C ends it", err=True)
        ended.wait()
