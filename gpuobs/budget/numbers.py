"""Numbers as people read them, and tables of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from gpuobs.budget.census import Factor

_SIZES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
_WHOLE = ("series", "targets")


def size(count: float) -> str:
    """Bytes in decimal units."""
    for unit, name in _SIZES:
        if abs(count) >= unit:
            return f"{count / unit:,.1f} {name}"
    return f"{count:,.0f} bytes"


def decimal(value: float) -> str:
    """A number that is no count: one decimal, of small ones three digits."""
    if abs(value) >= 10 or not value:
        return f"{value:,.1f}"
    digits = 2 - math.floor(math.log10(abs(value)))
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")


def precise(value: float) -> str:
    """A number that is no count as a factor of a sum: with so many digits that its products come out as they are shown."""
    return f"{value:,.7g}"


def number(value: float, unit: str) -> str:
    """A value with its unit: counts are whole, rates and ratios are not."""
    if unit == "bytes":
        return size(value)
    if unit in _WHOLE:
        return str(Factor(round(value), unit))
    return f"{decimal(value)} {unit}".rstrip()


def signed(value: float, unit: str) -> str:
    """A difference, with its sign."""
    if not value:
        return "0"
    return f"{'+' if value > 0 else '-'}{number(abs(value), unit)}".rstrip()


def signed_count(value: float) -> str:
    """A difference of counts, with its sign."""
    return f"{value:+,.0f}" if value else "0"


def signed_size(value: float) -> str:
    """A difference of bytes, with its sign."""
    return signed(value, "bytes")


def product(factors: Iterable[Factor], metrics: int) -> str:
    """What is multiplied, as a sum to compute again: factors, and metrics where there are several."""
    shown = [*map(str, factors), *([f"{metrics:,} metrics"] if metrics > 1 else [])]
    return " x ".join(shown)


def terms(found: Iterable[tuple[str, float]]) -> str:
    """A sum of named counts, without those that are nothing."""
    return " + ".join(f"{count:,} {name}" for name, count in found if count) or "0"


# Tables --------------------------------------------------------------------------------------------------------------


def table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1, width: int = 0
) -> Iterator[str]:
    """Aligned columns, the first `left` of which and those of words read from the left.

    Where they are wider than `width`, the widest column of words goes on in further lines.
    """
    if not rows:
        return
    words = [i < left or _is_text(rows, i) for i in range(len(columns))]
    widths = [max(len(row[i]) for row in (columns, *rows)) for i in range(len(columns))]
    over = sum(widths) + 2 * len(widths) - width
    if width and over > 0:
        widest = max((i for i, each in enumerate(words) if each), key=lambda i: widths[i])
        word = max(len(word) for row in rows for word in (columns[widest], *row[widest].split()))
        widths[widest] = max(word, widths[widest] - over)
    for row in (columns, *rows):
        parts = [_wrapped(cell, widths[i]) for i, cell in enumerate(row)]
        for line in range(max(map(len, parts))):
            cells = [part[line] if line < len(part) else "" for part in parts]
            yield ("  " + "  ".join(map(_aligned, cells, widths, words))).rstrip()


def _aligned(cell: str, width: int, words: bool) -> str:
    return cell.ljust(width) if words else cell.rjust(width)


def _wrapped(cell: str, width: int) -> list[str]:
    """A cell in lines; a name is not broken."""
    if len(cell) <= width:
        return [cell]
    return wrap(cell, width, break_long_words=False, break_on_hyphens=False, subsequent_indent="  ")


def _is_text(rows: Sequence[Sequence[str]], column: int) -> bool:
    """Whether a column holds words: those of numbers begin with a digit or a sign."""
    return not all(row[column][:1] in "0123456789+-" for row in rows)
