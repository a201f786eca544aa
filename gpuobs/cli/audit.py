"""gpuobs budget audit"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpuobs.cli import common

if TYPE_CHECKING:
    from gpuobs.live.client import Client
    from gpuobs.live.observe import Observed, Progress, Wanted
    from gpuobs.policy import Policy


@click.command(name="audit")
@common.options(
    common.specs,
    click.option(
        "--url", required=True, metavar="URL", help="The server, such as http://prometheus:9090."
    ),
    click.option(
        "--token-file",
        type=click.Path(path_type=Path, dir_okay=False),
        help="File with a bearer token; it is never printed.",
    ),
    click.option("--tenant", default="", help="Tenant to ask, where the server has several."),
    click.option("--cluster", default="", help="The cluster whose Prometheus it is."),
    click.option("--store", is_flag=True, help="It is the long-term store, of all clusters."),
    click.option(
        "--timeout",
        type=click.FloatRange(1, 3600),
        default=60,
        show_default=True,
        help="Seconds that all requests together may take.",
    ),
    click.option("--all", "everything", is_flag=True, help="Cut no table short."),
    click.option(
        "--format",
        "format_",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
    ),
    common.ext_str,
    common.color,
)
def command(
    specs: Path,
    url: str,
    token_file: Path | None,
    tenant: str,
    cluster: str,
    store: bool,
    timeout: float,
    everything: bool,
    format_: str,
    ext_str: dict[str, str],
    color: bool | None,
) -> int:
    """Compare the account with what a running Prometheus, Thanos or Mimir holds.

    Asks a bounded number of questions that only read. Exit code 1 where something is not as the specs say.
    """
    from gpuobs.pipeline import check_project

    done = check_project(specs, ext_str=ext_str)
    if done.program is None or done.program.policy is None:
        common.report(done.diagnostics, "text", color)
        return 1
    from gpuobs.budget.ledger import ledger
    from gpuobs.live.audit import Prediction
    from gpuobs.live.client import client

    asked = client(url, token_file=token_file, tenant=tenant, seconds=timeout)
    name = "" if store else _cluster(done.program.policy, asked, cluster)
    prediction = Prediction(ledger(done.program), name)
    audit = prediction.audit(_observed(asked, prediction.wanted()))
    if format_ == "json":
        import json

        from gpuobs.live.as_json import tree

        click.echo(json.dumps({"audit": tree(audit)}, indent=2))
    else:
        from gpuobs.live.text import lines

        click.echo("\n".join(lines(audit, everything=everything)))
    return 0 if audit.is_clean else 1


def _cluster(policy: Policy, asked: Client, wanted: str) -> str:
    """The cluster as it is named, or as the server's own series say."""
    from gpuobs.diagnostics import EnvironmentProblem
    from gpuobs.nearest import did_you_mean

    known = [str(cluster.name) for cluster in policy.fleet.clusters]
    if wanted:
        if wanted not in known:
            message = f"no cluster '{wanted}': {did_you_mean(wanted, known) or 'it has ' + ', '.join(known)}"
            raise click.BadParameter(message, param_hint="--cluster")
        return wanted
    if len(known) == 1:
        return known[0]
    from gpuobs.live.client import Refused

    try:
        seen = {labels.get("cluster", "") for labels, _ in asked.query("group by (cluster) (up)")}
    except (Refused, TimeoutError):
        seen = set()
    found = [name for name in known if name in seen]
    if len(found) != 1:
        said = ", ".join(found) if found else "none of them"
        message = f"the server has series of {said}: say --cluster NAME, or --store for the long-term store"
        raise EnvironmentProblem(message)
    return found[0]


def _observed(asked: Client, wanted: Wanted) -> Observed:
    """What the server holds, with a progress bar on a terminal."""
    from gpuobs.diagnostics import EnvironmentProblem
    from gpuobs.live.client import Refused
    from gpuobs.live.observe import observe

    try:
        if not sys.stderr.isatty():
            return observe(asked, wanted, lambda share, what: None)  # noqa: ARG005
        with click.progressbar(length=1000, label="asking", file=sys.stderr) as bar:
            return observe(asked, wanted, _moving(bar))
    except Refused as problem:
        raise EnvironmentProblem(
            f"{asked.url} does not answer as Prometheus does: {problem}"
        ) from None
    except TimeoutError:
        raise EnvironmentProblem(f"{asked.url} took too long: --timeout gives more") from None


def _moving(bar: click._termui_impl.ProgressBar[int]) -> Progress:
    def progress(share: float, what: str) -> None:  # noqa: ARG001
        bar.update(max(0, round(share * 1000) - bar.pos))

    return progress
