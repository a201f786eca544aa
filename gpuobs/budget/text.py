"""The report in a terminal: what is used of each limit, the totals with their sums, and tables on request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from gpuobs.budget.figures import Figure
from gpuobs.budget.labels import LabelCost
from gpuobs.budget.limits import Use
from gpuobs.budget.numbers import (
    decimal,
    number,
    product,
    signed,
    signed_count,
    signed_size,
    size,
    table,
)
from gpuobs.budget.report import ClusterReport, Report
from gpuobs.budget.storage import Rate

TABLES = ("metric", "label", "pool", "rule", "group")
EXCEEDED, NEAR = "EXCEEDED", "in headroom"
TOGETHER = "All replicas together, and what the long-term store takes of them"
_ROOMY = 100  # columns in which a sum stands beside its total


def lines(
    report: Report, *, cluster: str = "", by: str = "", top: int = 10, width: int = 120
) -> Iterator[str]:
    """The report of one cluster, or of all."""
    for each in report.clusters:
        if cluster in ("", each.name):
            yield from (f"Cluster {each.name}, one Prometheus", "")
            yield from _by(each, by, top, width) if by else _summary(each, top, width)
            yield ""
    if not by:
        yield from _one_more(report, width)
        yield from _unused(report, top)
        yield from _said(report, cluster, width)


def _summary(found: ClusterReport, top: int, width: int) -> Iterator[str]:
    yield from limits(found.uses)
    yield from totals(found.figures, width)
    if found.placement:
        yield from ("", f"  {TOGETHER}", "")
        yield from totals(found.placement, width)
    rows = [
        (p.pool or f"({p.exporter})", product(p.factors, len(p.metrics)), f"{p.series:,}")
        for p in found.products
    ]
    yield from ("", "  What exporters write, largest first", "")
    yield from _first(("pool", "product", "series"), rows, top, width, left=2)
    records = [
        (e.level, e.sum, f"{e.series:,}", f"{len(e.rules)}", f"{e.total:,}") for e in found.written
    ]
    if records:
        yield from ("", "  What rules write, largest first", "")
        columns = ("level", "what each rule writes", "series", "rules", "together")
        yield from _first(columns, records, top, width, left=2)


def limits(uses: Iterable[Use]) -> Iterator[str]:
    """What is used of each limit; nothing where there are none."""
    rows = [_use(use) for use in uses]
    if rows:
        yield from table(("limit", "used", "of", "share", "free", ""), rows)
        yield ""


def _use(use: Use) -> tuple[str, ...]:
    state = EXCEEDED if use.exceeded else NEAR if use.within_headroom else ""
    bound = f"{use.bound:,.15g}"
    if use.at_least:
        return use.limit, decimal(use.value), f"at least {bound}", "", "", state
    free = use.bound - use.value
    return use.limit, _whole(use.value, use), bound, f"{use.share:.0%}", _whole(free, use), state


def _whole(value: float, use: Use) -> str:
    return f"{value:,.2f}" if use.bound < 100 else f"{value:,.0f}"


def totals(figures: Sequence[Figure], width: int) -> Iterator[str]:
    """Each total with its sum, beside it or, in a narrow terminal, below."""
    values = [number(figure.value, figure.unit) for figure in figures]
    name, value = max(len(f.name) for f in figures), max(map(len, values))
    for figure, shown in zip(figures, values, strict=True):
        head = f"  {figure.name:<{name}}  {shown:>{value}}"
        if width >= _ROOMY:
            yield from hanging(f"{head}  = ", figure.sum, width)
        else:
            yield head
            yield from hanging("    = ", figure.sum, width)


def _first(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    top: int,
    width: int,
    left: int = 1,
) -> Iterator[str]:
    """The first rows of a table, and how many more there are."""
    yield from table(columns, rows[:top], left, width)
    yield from _more(rows, top)


def _more(rows: Sequence[object], top: int) -> Iterator[str]:
    if len(rows) > top:
        yield f"  {len(rows) - top} more: '--top {len(rows)}' shows all"


# Tables on request ---------------------------------------------------------------------------------------------------


def _by(found: ClusterReport, by: str, top: int, width: int) -> Iterator[str]:
    account = found.account
    if by == "label":
        yield from _labels(found.labels, top, width)
    elif by == "rule":
        yield from _shares("level", found.by_level, account.recorded, top)
        yield ""
        yield from _shares("recorded metric", found.by_rule, account.recorded, top)
        yield ""
        yield from _shares("rule or alert", found.by_reader, account.read, top, "series read")
    else:
        shown = {
            "metric": ("metric", found.by_metric, account.scraped, "series"),
            "pool": ("pool", found.by_pool, account.scraped, "series"),
            "group": ("rule group", found.by_group, account.read, "series read"),
        }
        title, rows, total, unit = shown[by]
        yield from _shares(title, rows, total, top, unit)


def _shares(
    title: str, found: list[tuple[str, int]], total: int, top: int, unit: str = "series"
) -> Iterator[str]:
    rows = [(name, f"{count:,}", f"{count / total:.1%}") for name, count in found]
    whole = [("all", f"{total:,}", "100.0%")] if rows else []
    yield from table((title, unit, "share"), [*rows[:top], *whole])
    yield from _more(rows, top)


def _labels(found: Sequence[LabelCost], top: int, width: int) -> Iterator[str]:
    rows = [
        (each.label, each.exporter, label_words(each), f"{each.adds:,}", f"{each.ended:,}")
        for each in found
        if each.role != "follows"
    ]
    columns = ("label", "exporter", "what it does", "adds", "ended, in the head")
    yield from _first(columns, rows, top, width, left=3)
    follow: dict[str, list[str]] = {}
    for each in found:
        if each.role == "follows":
            follow.setdefault(each.exporter, []).append(each.label)
    yield from ("", "  Labels that follow what is counted, and add nothing", "")
    for exporter, names in follow.items():
        yield from hanging(f"  {exporter}: ", ", ".join(names), width, 4)


def label_words(cost: LabelCost) -> str:
    """What a label does, in words."""
    if cost.role == "multiplies":
        return f"{cost.times:,} values of one thing at a time"
    if cost.role == "churns":
        return "each pod has series of its own" + (
            f", {cost.times:,} at a time" if cost.times > 1 else ""
        )
    if cost.role == "names":
        return f"names the {cost.things}" + (
            f": {cost.times} of each GPU" if cost.times > 1 else ""
        )
    return "follows"


# What concerns all clusters ------------------------------------------------------------------------------------------


def _one_more(report: Report, width: int) -> Iterator[str]:
    yield from ("What one more would cost, over all clusters", "")
    rows = [
        (
            each.name,
            signed_count(each.active),
            signed_count(each.head),
            signed(each.per_second, ""),
            signed_size(each.memory),
        )
        for each in report.one_more
    ]
    columns = ("change", "active series", "in the head", "samples/s", "memory")
    yield from table(columns, rows, 1, width)
    yield ""


def _unused(report: Report, top: int) -> Iterator[str]:
    if not report.unused:
        return
    total = sum(each.series for each in report.unused)
    count = len(report.unused)
    metrics = "1 metric" if count == 1 else f"{count} metrics"
    yield from (f"Collected, read by no rule and not sent on: {metrics}, {total:,} series", "")
    rows = [
        (each.name, f"{each.series:,}", decimal(each.per_second), size(each.memory))
        for each in report.unused
    ]
    yield from _first(("metric", "series", "samples/s", "memory"), rows, top, 0)
    yield ""


def _said(report: Report, cluster: str, width: int) -> Iterator[str]:
    yield from ("This holds where", "")
    said = [each.deduplication for each in report.clusters if cluster in ("", each.name)]
    for text in (*report.assumptions, *dict.fromkeys(filter(None, said))):
        yield from hanging("  - ", text, width)
    yield from _not_counted(report, width)
    yield from ("", "Factors that no spec says", "")
    for rate in report.rates:
        yield from hanging("  - ", f"{rate_words(rate)}: {rate.what} ({rate.source})", width)


def _not_counted(report: Report, width: int) -> Iterator[str]:
    unknown = report.unknown
    if unknown.labels:
        names = ", ".join(sorted({label for _, label in unknown.labels}))
        text = f"Nobody says how many values these labels have, so their series are not counted: {names}."
        yield from hanging("  - ", f"{text} The Budget's 'labels.values' can say it.", width)
    if unknown.rules:
        text = f"Nothing bounds what these rules write or read: {', '.join(unknown.rules)}."
        yield from hanging("  - ", text, width)


def rate_words(rate: Rate) -> str:
    """A factor with its unit."""
    large = rate.unit == "bytes" and rate.value >= 1000
    return size(rate.value) if large else f"{rate.value:g} {rate.unit}"


def hanging(head: str, text: str, width: int, indent: int = 0) -> Iterator[str]:
    """A text behind a head, and further lines below the first or so far in."""
    yield from wrap(
        text,
        width,
        initial_indent=head,
        subsequent_indent=" " * (indent or len(head)),
        break_long_words=False,
        break_on_hyphens=False,
    )
