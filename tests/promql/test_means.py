"""A sum divided by a count of the same is a mean, and a spread has an end: what ranges say of both."""

from __future__ import annotations

import pytest

from gpuobs import promql
from gpuobs.promql.analysis import analyse
from gpuobs.promql.interval import Interval
from gpuobs.promql.labelset import Labels
from gpuobs.promql.shapes import Shape
from tests.promql.worlds import Given

LABELS = Labels(frozenset({"node", "gpu"}), frozenset({"node", "gpu"}))
WORLD = Given({"share": Shape(range=Interval(0, 1), labels=LABELS), "up": Shape(labels=LABELS)})


def bounds(text: str) -> str:
    parsed = promql.parse(text)
    assert isinstance(parsed, promql.Parsed)
    return str(analyse(parsed.tree, WORLD).result.range)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("sum(share) / count(share)", "0 to 1"),
        ("sum by (node) (share{gpu='0'}) / (count by (node) (share{gpu='0'}))", "0 to 1"),
        ("sum(rate(share[5m]) > 2) / count(rate(share[5m]) > 2)", "2 or more"),
        ("sum(share) / count(up)", "0 or more"),
        ("sum(share) / count by (node) (share)", "0 or more"),
        ("sum(share) / count(share offset 5m)", "0 or more"),
        ("stddev(share)", "0 to 0.5"),
        ("stdvar by (node) (share)", "0 to 0.25"),
        ("stddev(up)", "0 or more"),
    ],
)
def test_bounds(text: str, wanted: str) -> None:
    assert bounds(text) == wanted
