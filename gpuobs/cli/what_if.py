"""gpuobs budget what-if"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from gpuobs.cli import common

if TYPE_CHECKING:
    from gpuobs.budget.changes import Change, Level
    from gpuobs.budget.ledger import Ledger


def _many(option: str, metavar: str, help_: str) -> Callable[[common.F], common.F]:
    return click.option(option, multiple=True, metavar=metavar, help=help_)


@click.command(name="what-if")
@common.options(
    common.specs,
    _many("--add-nodes", "POOL=N", "Nodes more in a pool; fewer with a minus."),
    _many("--add-gpus", "POOL=N", "GPUs more in each node of a pool."),
    _many("--mig", "POOL=PROFILE:N[,PROFILE:N]", "How the GPUs of a pool are cut."),
    _many("--add-metric", "NAME", "A metric, or a metric group, that is collected."),
    _many("--remove-metric", "NAME", "A metric that is no longer collected."),
    _many("--add-label", "CATALOG=NAME:VALUES", "A label on every series of an exporter."),
    click.option("--scrape-interval", metavar="DURATION", help="Another scrape interval."),
    click.option("--evaluation-interval", metavar="DURATION", help="Another evaluation interval."),
    _many("--pods-per-gpu", "CLUSTER=N", "Pods that share a GPU."),
    _many("--pod-lifetime", "CLUSTER=DURATION", "How long a pod lives."),
    _many("--no-pod-labels", "CLUSTER", "Exporters that do not write the pod."),
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

    Exit code 1 where a limit of the Budget would be exceeded.
    """
    from gpuobs.budget.changes import Unfit, together
    from gpuobs.budget.ledger import ledger
    from gpuobs.cli.budget import compiled

    changes = list(_changes(wanted))
    if not changes:
        raise click.UsageError("say what changes, such as --add-nodes POOL=10")
    program = compiled(specs, ext_str, color)
    if program is None or program.policy is None:
        return 1
    change = together(changes)
    try:
        after = ledger(program, change(program.policy))
    except Unfit as problem:
        raise click.UsageError(str(problem)) from None
    before = ledger(program)
    if format_ == "json":
        import json

        click.echo(json.dumps({"whatIf": _tree(str(change), before, after)}, indent=2))
    else:
        click.echo("\n".join(_lines(str(change), before, after)))
    from gpuobs.budget.limits import uses

    return 1 if any(use.exceeded for use in uses(after)) else 0


def _changes(wanted: dict[str, object]) -> Iterator[Change]:
    """The changes that options ask for, in the order of the help text."""
    from gpuobs.budget import changes

    pairs: dict[str, Callable[[str, str], Change]] = {
        "add_nodes": lambda name, value: changes.add_nodes(name, _whole(value)),
        "add_gpus": lambda name, value: changes.add_gpus(name, _whole(value)),
        "mig": lambda name, value: changes.mig(name, _instances(value)),
        "add_label": lambda name, value: changes.label(name, *_label(value)),
        "pods_per_gpu": lambda name, value: changes.pods_per_gpu(name, _whole(value)),
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
        raise click.UsageError(f"--{option.replace('_', '-')}: '{text}' has no form NAME=VALUE")
    return name, value


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise click.UsageError(f"'{text}' is no whole number") from None


def _level(text: str) -> Level:
    from gpuobs.budget.changes import Level

    found: tuple[Level, ...] = get_args(Level)
    for level in found:
        if level == text:
            return level
    raise click.UsageError(f"no level '{text}': one of {', '.join(found)}")


def _instances(text: str) -> dict[str, int]:
    pairs = (part.rpartition(":") for part in text.split(",") if part)
    found = {profile: _whole(count) for profile, _, count in pairs}
    if "" in found:
        raise click.UsageError(f"'{text}' has no form PROFILE:N, such as 1g.10gb:7")
    return found


def _label(text: str) -> tuple[str, int]:
    name, colon, values = text.rpartition(":")
    if not colon:
        raise click.UsageError(f"'{text}' has no form NAME:VALUES, such as rack:40")
    return name, _whole(values)


# What changes --------------------------------------------------------------------------------------------------------


def _lines(change: str, before: Ledger, after: Ledger) -> Iterator[str]:
    from gpuobs.budget.numbers import number, signed, table
    from gpuobs.budget.report import figures

    yield f"If {change}"
    for old, new in zip(before.clusters, after.clusters, strict=True):
        pairs = list(zip(figures(old), figures(new), strict=True))
        rows: Sequence[tuple[str, ...]] = [
            (
                a.name,
                number(a.value, a.unit),
                number(b.value, b.unit),
                signed(b.value - a.value, a.unit),
            )
            for a, b in pairs
            if a.value != b.value
        ]
        yield from ("", f"Cluster {old.name}, one Prometheus")
        yield from (
            table(("", "before", "after", "difference"), rows) if rows else ("  nothing changes",)
        )
    yield from _broken(before, after)


def _broken(before: Ledger, after: Ledger) -> Iterator[str]:
    from gpuobs.budget.limits import uses

    was = {(use.limit, use.cluster) for use in uses(before) if use.exceeded}
    for use in uses(after):
        if use.exceeded:
            more = ", as it is already" if (use.limit, use.cluster) in was else ""
            bound = f"at least {use.bound:,g}" if use.at_least else f"{use.bound:,.15g}"
            yield ""
            yield f"{use.limit} of {use.cluster} would be broken{more}: {use.value:,.1f}, and {bound} are allowed"
            yield f"  = {use.arithmetic}"


def _tree(change: str, before: Ledger, after: Ledger) -> dict[str, object]:
    from gpuobs.budget.limits import uses
    from gpuobs.budget.report import figures

    clusters = {}
    for old, new in zip(before.clusters, after.clusters, strict=True):
        clusters[old.name] = {
            a.key: {"before": round(a.value, 6), "after": round(b.value, 6), "unit": a.unit}
            for a, b in zip(figures(old), figures(new), strict=True)
        }
    broken = [{"limit": u.limit, "cluster": u.cluster} for u in uses(after) if u.exceeded]
    return {"change": change, "clusters": clusters, "exceeded": broken}
