"""Tables of the budget's report, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuobs.budget.labels import LabelCost
from gpuobs.budget.limits import Use
from gpuobs.budget.numbers import decimal, product, size
from gpuobs.budget.report import ClusterReport, Report
from gpuobs.budget.text import label_words
from gpuobs.targets._markdown import in_code, table

_MOST = 25  # rows of a table whose rest stands in the JSON


def use(found: Use) -> tuple[str, ...]:
    """A row of the limits."""
    state = "**exceeded**" if found.exceeded else "in headroom" if found.within_headroom else "ok"
    bound = f"{found.bound:,.15g}"
    if found.at_least:
        return f"`{found.limit}`", decimal(found.value), f"at least {bound}", "", "", "", state
    value, free, near = (
        f"{each:,.2f}" if found.bound < 100 else f"{each:,.0f}"
        for each in (found.value, found.bound - found.value, found.free)
    )
    return f"`{found.limit}`", value, bound, f"{found.share:.0%}", free, near, state


def details(found: ClusterReport) -> Iterator[str]:
    """Series scraped, recorded and read, one after the other."""
    yield from _products(found)
    yield from _written(found)
    account = found.account
    yield from _shares("metric", found.by_metric, account.scraped, "series")
    yield from _shares("pool", found.by_pool, account.scraped, "series")
    yield from _labels(found.labels)
    yield from _shares("level", found.by_level, account.recorded, "series recorded")
    yield from _shares("recorded metric", found.by_rule, account.recorded, "series recorded")
    unit = "series read at one evaluation"
    yield from _shares("rule group", found.by_group, account.read, unit, len(found.by_group))
    yield from _shares("reading rule", found.by_reader, account.read, unit)


def _products(found: ClusterReport) -> Iterator[str]:
    yield from ("", "### Series scraped", "")
    yield "Metrics with the same product stand together. A label is a factor only where one thing has several of its values at"
    yield "the same time: how many is said by the exporter's catalog (`gpuobs explain METRIC`), by the Budget's `labels.values`, or"
    yield "by the specs themselves, such as the number of rule groups. Labels that follow a thing are no factor."
    yield ""
    rows = [
        (
            p.pool or f"beside the pools: {p.exporter}",
            f"{product(p.factors, len(p.metrics))} = {p.series:,}",
            in_code(p.metrics),
        )
        for p in found.products
    ]
    total = ("all", f"{found.account.scraped:,}", "")
    yield from table(("pool", "series", "metrics"), [*rows, total])


def _written(found: ClusterReport) -> Iterator[str]:
    if not found.written:
        return
    yield from ("", "### Series recorded", "")
    yield "Rules of a level that write the same stand together. A rule writes one series for each of the things that its"
    yield "labels name; of a pod that ended a series stays as long as the rule's windows reach back."
    yield ""
    rows = [
        (
            each.level,
            f"{each.sum} = {each.series:,}",
            f"{each.series:,} x {_rules(len(each.rules))} = {each.total:,}",
            in_code(dict.fromkeys(each.rules)),
        )
        for each in found.written
    ]
    total = ("all", "", f"{found.account.recorded:,}", "")
    yield from table(("level", "series of each rule", "series", "rules"), [*rows, total])


def _rules(count: int) -> str:
    return "1 rule" if count == 1 else f"{count} rules"


def _shares(
    title: str, found: list[tuple[str, int]], total: int, unit: str, most: int = _MOST
) -> Iterator[str]:
    if not found:
        return
    yield from ("", f"### By {title}", "")
    rows = [(f"`{name}`", f"{count:,}", f"{count / total:.1%}") for name, count in found[:most]]
    rest = sum(count for _, count in found[most:])
    if rest:
        more = f"{len(found) - most} more, in report.json"
        rows.append((more, f"{rest:,}", f"{rest / total:.1%}"))
    yield from table((title, unit, "share"), [*rows, ("all", f"{total:,}", "100.0%")])


def _labels(found: Sequence[LabelCost]) -> Iterator[str]:
    yield from ("", "### By label", "")
    yield "What there would be less of without the label: active series, and in the head series that ended. Labels that name"
    yield "the same things do so together, not each."
    yield ""
    rows = [
        (f"`{e.label}`", e.exporter, label_words(e), f"{e.adds:,}", f"{e.ended:,}")
        for e in found
        if e.role != "follows"
    ]
    yield from table(("label", "exporter", "what it does", "active", "ended"), rows)
    follow: dict[str, list[str]] = {}
    for each in found:
        if each.role == "follows":
            follow.setdefault(each.exporter, []).append(each.label)
    yield from ("", "These follow what is counted, one value at a time, and add nothing:", "")
    yield from (f"- {exporter}: {in_code(labels)}" for exporter, labels in follow.items())


def unused(found: Report) -> Iterator[str]:
    """What is collected though nothing reads it, by its price."""
    if not found.unused:
        return
    yield from ("", "## Collected, and read by nothing", "")
    yield "No rule reads these and they are not sent on. Dashboards of your own may: they are not known here."
    yield ""
    alike: dict[tuple[int, float, float], list[str]] = {}
    for each in found.unused:
        alike.setdefault((each.series, each.per_second, each.memory), []).append(each.name)
    rows = [
        (f"{series:,}", decimal(rate), size(memory), in_code(names))
        for (series, rate, memory), names in alike.items()
    ]
    yield from table(("series of each", "samples/s", "memory", "metrics"), rows)
