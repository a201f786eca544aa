"""The report in a terminal: what is used of each limit, the totals with their sums, and tables on request."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from gpuobs.budget.limits import Use
from gpuobs.budget.numbers import metrics, number, product, signed, size, table
from gpuobs.budget.report import ClusterReport, Report

TABLES = ("metric", "label", "pool", "rule", "group")
_WIDTH = 120


def lines(report: Report, cluster: str = "", by: str = "", top: int = 10) -> Iterator[str]:
    """The report of one cluster, or of all."""
    for each in report.clusters:
        if cluster in ("", each.name):
            yield from (f"Cluster {each.name}, one Prometheus", "")
            yield from _by(each, by, top) if by else _summary(each, top)
            yield ""
    if not by:
        yield from _one_more(report)
        yield from _unused(report, top)
        yield from _said(report)


def _summary(found: ClusterReport, top: int) -> Iterator[str]:
    if found.uses:
        yield from table(
            ("limit", "used", "of", "free", ""), [_use(use) for use in found.uses], left=1
        )
        yield ""
    values = [number(figure.value, figure.unit) for figure in found.figures]
    name, value = (max(map(len, each)) for each in ((f.name for f in found.figures), values))
    for figure, shown in zip(found.figures, values, strict=True):
        yield from _hanging(f"  {figure.name:<{name}}  {shown:>{value}}  = ", figure.sum)
    yield ""
    rows = [
        (
            p.pool or f"({p.exporter})",
            f"{product(p.factors)} x {metrics(len(p.metrics))}",
            f"{p.series:,}",
        )
        for p in found.products[:top]
    ]
    yield from table(("pool", "what", "series"), rows, left=2)
    rest = sum(p.series for p in found.products[top:])
    if rest:
        yield f"  {len(found.products) - top} more products, {rest:,} series: --top shows them"


def _use(use: Use) -> tuple[str, ...]:
    state = "EXCEEDED" if use.exceeded else "within headroom" if use.within_headroom else ""
    if use.at_least:
        return use.limit, f"{use.value:,.1f}", f"{use.bound:,g} at least", "", state
    free = use.bound - use.value
    shown = f"{use.value:,.2f}" if use.bound < 100 else f"{use.value:,.0f}"
    left = f"{free:,.2f}" if use.bound < 100 else f"{free:,.0f}"
    return use.limit, shown, f"{use.bound:,.15g}", left, state


def _by(found: ClusterReport, by: str, top: int) -> Iterator[str]:
    if by == "label":
        rows = [
            (
                each.label,
                each.exporter,
                f"x {each.times:,}" if each.times > 1 else "follows",
                f"{each.series:,}",
            )
            for each in found.by_label[:top]
        ]
        yield from table(("label", "exporter", "multiplies", "series that have it"), rows, left=3)
        return
    tables = {
        "metric": ("metric", found.by_metric, found.account.scraped),
        "pool": ("pool", found.by_pool, found.account.scraped),
        "rule": ("recorded metric", found.by_rule, found.account.recorded),
        "group": ("rule group", found.by_group, found.account.read),
    }
    title, rows_of, total = tables[by]
    shown = [(name, f"{count:,}", f"{count / total:.1%}") for name, count in rows_of[:top]]
    yield from table((title, "series read" if by == "group" else "series", "share"), shown)
    if len(rows_of) > top:
        yield f"  {len(rows_of) - top} more: --top {len(rows_of)} shows all"


def _one_more(report: Report) -> Iterator[str]:
    yield from ("What one more would cost, over all clusters", "")
    rows = [
        (
            each.name,
            signed(each.active, "series"),
            signed(each.head, "series"),
            signed(each.per_second, "samples/s"),
        )
        for each in report.one_more
    ]
    yield from table(("change", "active", "in the head", "appended"), rows)
    yield ""


def _unused(report: Report, top: int) -> Iterator[str]:
    if not report.unused:
        return
    total = sum(each.series for each in report.unused)
    yield from (
        f"Collected and read by nothing: {len(report.unused)} metrics, {total:,} series",
        "",
    )
    rows = [
        (each.name, f"{each.series:,}", f"{each.per_second:,.1f}") for each in report.unused[:top]
    ]
    yield from table(("metric", "series", "samples/s"), rows)
    yield ""


def _said(report: Report) -> Iterator[str]:
    yield from ("This holds where", "")
    for text in report.assumptions:
        yield from wrap(text, _WIDTH, initial_indent="  - ", subsequent_indent="    ")
    if report.unbounded:
        names = sorted({label for _, label in report.unbounded})
        text = f"Labels that nobody bounds are not counted: {', '.join(names)}. The Budget's labels.values can bound them."
        yield from wrap(text, _WIDTH, initial_indent="  - ", subsequent_indent="    ")
    yield from ("", "Factors", "")
    for rate in report.rates:
        value = (
            size(rate.value)
            if rate.unit == "bytes" and rate.value >= 1000
            else f"{rate.value:g} {rate.unit}"
        )
        text = f"{value}: {rate.what} ({rate.source})"
        yield from wrap(text, _WIDTH, initial_indent="  - ", subsequent_indent="    ")


def _hanging(head: str, text: str) -> Iterator[str]:
    room = max(30, _WIDTH - len(head))
    first, *rest = wrap(text, room, break_long_words=False) or [""]
    yield f"{head}{first}".rstrip()
    yield from (" " * len(head) + line for line in rest)
