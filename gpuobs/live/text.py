"""An audit as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuobs.explain.layout import hanging
from gpuobs.live.audit import Audit, LabelFound, MetricFound
from gpuobs.live.client import readable

_MOST_ROWS = 20
_MOST_VALUES = 3


def lines(audit: Audit, *, everything: bool) -> Iterator[str]:
    """The audit, worst first; with `everything` no table is cut short."""
    most = None if everything else _MOST_ROWS
    yield from _head(audit)
    if audit.worst:
        yield from ("", f"The {len(audit.worst)} that have most series more than predicted")
        yield from _table(_COLUMNS, [_row(each) for each in audit.worst])
    if audit.different:
        yield from ("", f"In the specs, and not as predicted: {len(audit.different)}")
        yield from _table(_COLUMNS, [_row(each) for each in audit.different[:most]])
        yield from _rest(len(audit.different), most)
    if audit.unknown:
        total = sum(each.active for each in audit.unknown)
        yield from (
            "",
            f"There, and not in the specs: {len(audit.unknown)} metrics, {total:,} series",
        )
        yield from _table(_COLUMNS, [_row(each) for each in audit.unknown[:most]])
        yield from _rest(len(audit.unknown), most)
    if audit.missing:
        yield from ("", f"In the specs, and not there: {len(audit.missing)}")
        yield from hanging("  ", ", ".join(audit.missing[:most]))
        yield from _rest(len(audit.missing), most)
    if audit.labels:
        yield from ("", "Labels that are not as the specs say")
        yield from (f"  {_label(found)}" for found in audit.labels)
    yield from _not_asked(audit)


def _head(audit: Audit) -> Iterator[str]:
    observed = audit.observed
    where = f"cluster {audit.cluster}" if audit.cluster else "the long-term store"
    yield f"{observed.server}, {where}"
    predicted = sum(each.predicted.steady for each in audit.known if each.predicted)
    known, unknown = (sum(each.active for each in part) for part in (audit.known, audit.unknown))
    yield f"  active series of the specs' metrics  {known:,}, predicted {predicted:,}"
    yield f"  active series of other metrics       {unknown:,}"
    if observed.head_total is not None:
        yield f"  series in the head                   {observed.head_total:,}"
    if audit.is_clean:
        yield "  all is as the specs say"


_COLUMNS = ("metric", "predicted", "active", "excess", "memory", "samples/s", "jobs")


def _row(found: MetricFound) -> tuple[str, ...]:
    predicted = "-" if found.predicted is None else f"{found.predicted.steady:,}"
    return (
        readable(found.name),
        predicted,
        f"{found.active:,}",
        f"{found.excess:+,}",
        megabytes(found.memory),
        f"{found.samples_per_second:,.1f}",
        readable(", ".join(found.jobs)),
    )


def megabytes(count: float) -> str:
    """Bytes in megabytes, of 1,000,000."""
    return f"{count / 1e6:,.1f} MB"


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[i]) for row in (columns, *rows)) for i in range(len(columns))]
    last = len(columns) - 1
    for row in (columns, *rows):
        cells = [
            cell.ljust(width) if i in (0, last) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield ("  " + "  ".join(cells)).rstrip()


def _rest(count: int, most: int | None) -> Iterator[str]:
    if most is not None and count > most:
        yield f"  and {count - most:,} more: --all shows them"


def _label(found: LabelFound) -> str:
    seen = found.seen
    shown = found.unexpected or seen.values
    values = ", ".join(f"'{readable(value)}'" for value in shown[:_MOST_VALUES])
    more = f" and {len(shown) - _MOST_VALUES} more" if len(shown) > _MOST_VALUES else ""
    if found.unknown:
        return (
            f"{seen.metric} has a label '{seen.label}' that no series should have: {values}{more}"
        )
    if found.unexpected:
        return f"{seen.metric} has {seen.label} {values}{more}, which the specs do not know"
    return f"{seen.metric} has {seen.count:,} values of '{seen.label}', and {found.most:,} are possible"


def _not_asked(audit: Audit) -> Iterator[str]:
    observed = audit.observed
    if observed.unasked:
        yield from (
            "",
            f"No time was left for {len(observed.unasked):,} metrics: --timeout gives more",
        )
    for name, problem in sorted(observed.refused.items()):
        yield f"  {readable(name)} could not be counted: {problem}"
