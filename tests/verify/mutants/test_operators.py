"""What the operators make of an expression: each change once, at its place, as text that Prometheus loads."""

from __future__ import annotations

import pytest

from gpuobs import promql
from gpuobs.verify.mutants.making import OPERATORS

MADE = {
    "comparator": ("a > b", ["a >= b", "a < b"]),
    "comparator ==": ("a == b", ["a != b"]),
    "threshold": ("a > 80", ["a > 79.2", "a > 80.8"]),
    "threshold on the left": ("80 < a", ["79.2 < a", "80.8 < a"]),
    "threshold of zero": ("a > 0", ["a > -0.01", "a > 0.01"]),
    "threshold of a count": ("count(a) > 3", ["count(a) > 2", "count(a) > 4"]),
    "threshold of whole changes": (
        "changes(a[5m]) >= 2",
        ["changes(a[5m]) >= 1", "changes(a[5m]) >= 3"],
    ),
    "threshold of growth": (
        "sum(increase(a[5m])) > 0",
        ["sum(increase(a[5m])) > -1", "sum(increase(a[5m])) > 1"],
    ),
    "threshold of terms": ("a > 2 * 1024", ["a > 2027.52", "a > 2068.48"]),
    "threshold series": ("vector(83)", ["vector(82)", "vector(84)"]),
    "bool": ("a == bool b", ["a ==  b"]),
    "arithmetic": ("a + b * c", ["a - b * c", "a + b / c"]),
    "set and": ("a and on (x) b", ["a unless on (x) b"]),
    "set unless": ("a unless b", ["a and b"]),
    "set or": ("a or b", ["a and b"]),
    "branch": ("a > 1 or b", ["(a > 1)", "b"]),
    "branch of unless": ("a unless b", ["a"]),
    "aggregation": ("sum by (x) (a)", ["avg by (x) (a)", "count by (x) (a)"]),
    "aggregation over time": (
        "max_over_time(a[5m])",
        ["min_over_time(a[5m])", "avg_over_time(a[5m])"],
    ),
    "label": ("max by (x, y) (a)", ["max by (y) (a)", "max by (x) (a)"]),
    "label of without": ("max without (x) (a)", ["max without () (a)"]),
    "label of group_left": (
        "a * on (x) group_left (y, z) b",
        ["a * on (x) group_left (z) b", "a * on (x) group_left (y) b"],
    ),
    "matcher": (
        'a{x="1", y=~"2|3"}',
        ['a{y=~"2|3"}', 'a{x!="1", y=~"2|3"}', 'a{x="1"}', 'a{x="1", y!~"2|3"}'],
    ),
    "matcher without a name": (
        '{__name__="a", x="1"}',
        ['{__name__="a"}', '{__name__="a", x!="1"}'],
    ),
    "window": ("rate(a[5m])", ["rate(a[2m30s])", "rate(a[10m])"]),
    "window of a subquery": (
        "max_over_time(a[5m:1m])",
        ["max_over_time(a[2m30s:1m])", "max_over_time(a[10m:1m])"],
    ),
    "offset": ("a offset 5m", ["a "]),
    "offset of a subquery": (
        "max_over_time((a offset 1m)[5m:] offset -2m)",
        ["max_over_time((a offset 1m)[5m:] )", "max_over_time((a )[5m:] offset -2m)"],
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_an_operator_changes_one_place(name: str) -> None:
    text, expected = MADE[name]
    parsed = promql.parse(text)
    assert isinstance(parsed, promql.Parsed)
    edits = [edit for operator in OPERATORS for edit in operator(parsed, _whole)]
    made = [edit.applied(text) for edit in edits if edit.operator == name.split(" ", maxsplit=1)[0]]
    assert made == expected
    assert all(isinstance(promql.parse(each), promql.Parsed) for each in made)


def _whole(node: promql.Node) -> bool:
    from gpuobs.foreign import world
    from gpuobs.ir import Program
    from gpuobs.verify.mutants.whole import Wholeness

    program = Program(
        fleet="", version=(2, 42), rule_files=(), test_files=(), policy=world.built_in().policy
    )
    return Wholeness(program).of(node)
