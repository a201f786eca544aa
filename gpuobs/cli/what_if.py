"""gpuobs budget what-if"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from gpuobs.cli import common

if TYPE_CHECKING:
    from gpuobs.budget.changes import Change, Level
    from gpuobs.budget.difference import ClusterDifference
    from gpuobs.diagnostics import Diagnostic


def _many(option: str, metavar: str, help_: str) -> Callable[[common.F], common.F]:
    return click.option(option, multiple=True, metavar=metavar, help=help_)


@click.command(name="what-if")
@common.options(
    common.specs,
    _many("--add-nodes", "POOL=N", "Nodes more in a pool; fewer with a minus."),
    _many("--add-gpus", "POOL=N", "GPUs more in each node of a pool."),
    _many(
        "--mig",
        "POOL=PROFILE:N[,PROFILE:N]",
        "How the GPUs of a pool are cut; POOL=none for whole ones.",
    ),
    _many("--add-metric", "NAME", "A metric, or a metric group, that is collected."),
    _many("--remove-metric", "NAME", "A metric that is no longer collected."),
    _many(
        "--add-label",
        "CATALOG=NAME:VALUES",
        "A label of an exporter of which each thing has so many values at a time.",
    ),
    click.option("--scrape-interval", metavar="DURATION", help="Another scrape interval."),
    click.option("--evaluation-interval", metavar="DURATION", help="Another evaluation interval."),
    _many("--pods-per-gpu", "CLUSTER=N", "Pods that share a GPU."),
    _many("--pod-lifetime", "CLUSTER=DURATION", "How long a pod lives."),
    click.option(
        "--no-pod-labels",
        multiple=True,
        is_flag=False,
        flag_value="",
        metavar="[CLUSTER]",
        help="Exporters that do not write the pod, in one cluster or in all.",
    ),
    click.option("--replicas", type=int, help="Replicas of each Prometheus."),
    _many("--send", "LEVEL", "A level of rollups that is sent to the long-term store."),
    _many("--send-raw", "METRIC", "A raw metric that is sent to the long-term store."),
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
def command(
    specs: Path, ext_str: dict[str, str], format_: str, color: bool | None, **wanted: object
) -> int:
    """Print what changes would cost: before, after and the difference, and which limit they would break.

    Exit code 1 where a limit of the Budget would be exceeded, or where the specs would not compile any more.
    """
    from gpuobs.budget.changes import Unfit, together
    from gpuobs.budget.ledger import ledger
    from gpuobs.cli.budget import compiled

    if all(value is None or value == () for value in wanted.values()):
        raise click.UsageError("say what changes, such as --add-nodes POOL=10")
    list(_changes(wanted))  # mistakes in the words themselves come before those in the specs
    program = compiled(specs, ext_str, color)
    if program is None or program.policy is None:
        return 1
    if wanted["no_pod_labels"] == ("",):
        clusters = (str(cluster.name) for cluster in program.policy.fleet.clusters)
        wanted["no_pod_labels"] = tuple(clusters)
    change = together(_changes(wanted))
    try:
        after = ledger(program, change(program.policy))
        refused = _refused(specs, ext_str, change)
    except Unfit as problem:
        raise click.UsageError(str(problem)) from None
    from gpuobs.budget.difference import differences

    found = differences(ledger(program), after)
    (_as_json if format_ == "json" else _as_text)(str(change), found, refused, color)
    return 1 if refused or any(True for cluster in found for _ in cluster.broken) else 0


def _refused(specs: Path, ext_str: dict[str, str], change: Change) -> list[Diagnostic]:
    """Errors that the specs have with a change and not without it; broken limits stand in the account."""
    from gpuobs.checks import OF_LIMITS
    from gpuobs.pipeline import check_project

    now, then = (
        check_project(specs, ext_str=ext_str, change=edit, but=OF_LIMITS).diagnostics
        for edit in (None, change)
    )
    before = {(each.code, each.span, each.message) for each in now}
    errors = (each for each in then if each.severity == "error")
    return [each for each in errors if (each.code, each.span, each.message) not in before]


def _as_text(
    change: str,
    found: tuple[ClusterDifference, ...],
    refused: list[Diagnostic],
    color: bool | None,
) -> None:
    from gpuobs.budget.difference import lines
    from gpuobs.cli.budget import coloured

    for line in lines(change, found, common.width()):
        click.echo(coloured(line, color), color=color)
    if refused:
        click.echo("\nThe specs would not compile any more:")
        common.report(refused, "text", color)


def _as_json(
    change: str,
    found: tuple[ClusterDifference, ...],
    refused: list[Diagnostic],
    color: bool | None,  # noqa: ARG001
) -> None:
    import json

    from gpuobs.budget.difference import tree
    from gpuobs.reporters.json_format import data

    answer = tree(change, found) | {"refused": [data(each) for each in refused]}
    click.echo(json.dumps({"whatIf": answer}, indent=2, ensure_ascii=False))


def _changes(wanted: dict[str, object]) -> Iterator[Change]:
    """The changes that options ask for, in the order of the help text."""
    from gpuobs.budget import changes

    pairs: dict[str, Callable[[str, str], Change]] = {
        "add_nodes": lambda name, value: changes.add_nodes(name, _whole("add_nodes", value)),
        "add_gpus": lambda name, value: changes.add_gpus(name, _whole("add_gpus", value)),
        "mig": lambda name, value: changes.mig(name, _instances(value)),
        "add_label": lambda name, value: changes.label(name, *_label(value)),
        "pods_per_gpu": lambda name, value: changes.pods_per_gpu(
            name, _whole("pods_per_gpu", value)
        ),
        "pod_lifetime": changes.pod_lifetime,
    }
    names: dict[str, Callable[[str], Change]] = {
        "add_metric": changes.collect,
        "remove_metric": changes.uncollect,
        "no_pod_labels": changes.without_pod_labels,
        "send": lambda level: changes.send_level(_level(level)),
        "send_raw": changes.send_raw,
    }
    single: dict[str, Callable[[str], Change]] = {
        "scrape_interval": changes.scrape_interval,
        "evaluation_interval": changes.evaluation_interval,
    }
    try:
        for option, value in wanted.items():
            if isinstance(value, tuple) and option in pairs:
                yield from (pairs[option](*_pair(option, text)) for text in value)
            elif isinstance(value, tuple) and option in names:
                yield from (names[option](text) for text in value)
            elif isinstance(value, str) and option in single:
                yield single[option](value)
            elif isinstance(value, int) and option == "replicas":
                yield changes.replicas(value)
    except changes.Unfit as problem:
        raise click.UsageError(str(problem)) from None


def _pair(option: str, text: str) -> tuple[str, str]:
    name, equal, value = text.partition("=")
    if not (name and equal and value):
        raise click.UsageError(f"{_name(option)}: '{text}' has no form NAME=VALUE")
    return name, value


def _whole(option: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        message = f"'{text}' is no whole number"
        raise click.UsageError(f"{_name(option)}: {message}") from None


def _name(option: str) -> str:
    return f"--{option.replace('_', '-')}"


def _level(text: str) -> Level:
    from gpuobs.budget.changes import Level

    found: tuple[Level, ...] = get_args(Level)
    for level in found:
        if level == text:
            return level
    from gpuobs.nearest import did_you_mean

    raise click.UsageError(f"--send: no level '{text}': {did_you_mean(text, found)}")


def _instances(text: str) -> dict[str, int]:
    if text == "none":
        return {}
    found: dict[str, int] = {}
    for profile, _, count in (part.rpartition(":") for part in text.split(",")):
        if not profile:
            message = f"'{text}' has no form PROFILE:N, such as 1g.10gb:7, or none"
            raise click.UsageError(f"--mig: {message}")
        found[profile] = found.get(profile, 0) + _whole("mig", count)
    return found


def _label(text: str) -> tuple[str, int]:
    name, colon, values = text.rpartition(":")
    if not colon:
        raise click.UsageError(f"--add-label: '{text}' has no form NAME:VALUES, such as process:4")
    return name, _whole("add_label", values)
