"""gpuobs simulate"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpuobs.cli import common
from gpuobs.spec.scalars import Duration

if TYPE_CHECKING:
    from gpuobs.ir import Program
    from gpuobs.simulate.server import Simulation


@click.command(name="simulate")
@common.options(
    common.specs,
    click.option(
        "--listen",
        default="127.0.0.1:9464",
        show_default=True,
        metavar="ADDRESS:PORT",
        help="Where to answer, on loopback; port 0 is any free one.",
    ),
    click.option(
        "--incident",
        "incidents",
        multiple=True,
        metavar="NAME[@NODE[/GPU]][+DELAY]",
        help="Something that goes wrong, such as xid-79@NODE/gpu5+10m.",
    ),
    click.option("--incidents", "list_", is_flag=True, help="List the incidents, and end."),
    click.option(
        "--pod-lifetime", metavar="DURATION", help="How long each pod lives, instead of the specs'."
    ),
    click.option("--seed", type=int, default=0, help="Another number gives other values."),
    click.option(
        "--once",
        nargs=2,
        metavar="JOB NODE",
        help="Print the page of one target, and end. What stands on no node goes by the name of its pod.",
    ),
    common.ext_str,
    common.color,
)
def command(
    specs: Path,
    listen: str,
    incidents: tuple[str, ...],
    list_: bool,
    pod_lifetime: str | None,
    seed: int,
    once: tuple[str, str] | None,
    ext_str: dict[str, str],
    color: bool | None,
) -> int:
    """Serve the metrics of the specs' fleet as its exporters would, pods that come and go included.

    Prometheus scrapes it with the generated scrape configuration, where http_sd_configs and proxy_url name this server;
    docs/simulate.md says how.
    """
    from gpuobs.pipeline import check_project

    if list_:
        _print_incidents()
        return 0
    host, port = _address(listen)
    lifetime = _lifetime(pod_lifetime)
    done = check_project(specs, ext_str=ext_str)
    if done.program is None or done.program.policy is None:
        common.report(done.diagnostics, "text", color)
        return 1
    found = _simulation(done.program, incidents, lifetime, seed)
    if once is None:
        _serve(found, host, port)
    else:
        click.echo(found.page_of(*once), nl=False)
    return 0


def _print_incidents() -> None:
    from gpuobs.simulate.incidents import catalogue

    entries = list(catalogue())
    width = max(len(name) for name, _ in entries)
    for name, what in entries:
        click.echo(f"{name:<{width}}  {what}")


def _address(listen: str) -> tuple[str, int]:
    host, _, port = listen.rpartition(":")
    try:
        loopback = host == "localhost" or ipaddress.IPv4Address(host).is_loopback
    except ValueError:
        loopback = False
    if not loopback or not port.isdigit() or int(port) > 65535:
        raise click.BadParameter(
            "it answers on loopback only, such as 127.0.0.1:9464", param_hint="--listen"
        )
    return host, int(port)


def _lifetime(text: str | None) -> Duration | None:
    import re

    if text is None:
        return None
    lifetime = Duration(text)
    if not re.match(Duration.pattern, text) or not lifetime.seconds:
        raise click.BadParameter("such as 10m", param_hint="--pod-lifetime")
    return lifetime


def _simulation(
    program: Program, incidents: Sequence[str], lifetime: Duration | None, seed: int
) -> Simulation:
    from gpuobs.simulate.server import simulation

    assert program.policy is not None
    files = [file for file in program.rule_files if not file.of_fleet]
    groups = [group.name for file in files for group in file.groups]
    return simulation(
        program.policy, incidents, rule_groups=groups, pod_lifetime=lifetime, seed=seed
    )


def _serve(found: Simulation, host: str, port: int) -> None:
    import signal
    import threading

    from gpuobs.simulate.server import serving

    ended = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: ended.set())
    with serving(found, host, port) as url:
        click.echo(f"{url} answers for {len(found.targets):,} targets; Ctrl-C ends it", err=True)
        ended.wait()
