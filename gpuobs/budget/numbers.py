"""Numbers as people read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gpuobs.budget.census import Factor

_SIZES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def size(count: float) -> str:
    """Bytes in decimal units."""
    for unit, name in _SIZES:
        if abs(count) >= unit:
            return f"{count / unit:,.1f} {name}"
    return f"{count:,.0f} bytes"


def number(value: float, unit: str) -> str:
    """A value with its unit; series are whole, rates have one decimal."""
    if unit == "bytes":
        return size(value)
    if unit == "times":
        return f"{value:,.1f} times"
    return f"{value:,.1f} {unit}" if unit == "samples/s" else f"{value:,.0f} {unit}"


def signed(value: float, unit: str) -> str:
    """A difference, with its sign."""
    if not value:
        return "0"
    return f"{'+' if value > 0 else '-'}{number(abs(value), unit)}"


def product(factors: Iterable[Factor]) -> str:
    """Factors as a product; a single thing is left out beside others."""
    found = list(factors)
    shown = [factor for factor in found if factor.count != 1] or found[:1]
    return " x ".join(map(str, shown))


def metrics(count: int) -> str:
    """A number of metrics."""
    return f"{count:,} metric" if count == 1 else f"{count:,} metrics"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> Iterator[str]:
    """Aligned columns, the first `left` of which and the last one read from the left."""
    if not rows:
        return
    count = len(columns)
    widths = [max(len(row[i]) for row in (columns, *rows)) for i in range(count)]
    for row in (columns, *rows):
        cells = [
            cell.ljust(width) if i < left or _is_text(rows, i) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield ("  " + "  ".join(cells)).rstrip()


def _is_text(rows: Sequence[Sequence[str]], column: int) -> bool:
    """Whether a column holds words: those of numbers begin with a digit or a sign."""
    return not all(row[column][:1] in "0123456789+-" for row in rows)
