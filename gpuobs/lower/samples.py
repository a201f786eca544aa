"""promtool's notation of samples: numbers, `axN`, `a+bxN`, `_`, `_xN` and `stale`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_SAMPLE = re.compile(
    r"_(?:x(?P<gaps>[0-9]+))?|stale|[-+]?(?:[iI][nN][fF]|[nN][aA][nN])"
    rf"|(?P<first>[-+]?{_NUMBER})(?:(?P<step>[+-]{_NUMBER})?x(?P<times>[0-9]+))?"
)
# A native histogram has blanks in it; what it means is not looked at.
_WORD = re.compile(r"\{\{[^}]*\}\}\S*|\S+")
FORMS = "a number, 'axN' (a, N+1 times), 'a+bxN' (rising by b), '_' (missing), '_xN' or 'stale'"


@dataclass(frozen=True, slots=True)
class Samples:
    """One word of the notation, with its offsets: `count` samples that begin with `first` and rise by `step`.

    `first` is None where there is no sample, for `_` and `stale`, and where it is a histogram.
    """

    start: int
    end: int
    count: int
    first: str | None = None
    step: str = ""
    missing: bool = False


def read(values: str) -> Iterator[Samples | tuple[int, int]]:
    """The words of a text; the offsets of those that are no samples."""
    for word in _WORD.finditer(values):
        match = _SAMPLE.fullmatch(word.group())
        if word.group().startswith("{{"):
            yield Samples(*word.span(), count=1)
        elif match is None:
            yield word.span()
        else:
            repeated = match["times"] or match["gaps"]
            # The word stands for one sample more than it repeats, but `_xN` for N.
            count = int((repeated or "0")[:9]) + (match["gaps"] is None)
            missing = match.group().startswith(("_", "stale"))
            first = None if missing else match["first"] or match.group()
            yield Samples(*word.span(), count, first, match["step"] or "", missing)
