"""Names, matchers and label lists point at their own place in the author's text."""

from __future__ import annotations

import pytest

from gpuobs import promql


def parsed(text: str, version: tuple[int, int] = (3, 5)) -> promql.Parsed:
    found = promql.parse(text, version)
    assert isinstance(found, promql.Parsed), found
    return found


SELECTORS = [
    ("up", [("up", "up", "up", [])]),
    ('sum by (up) (up{up="up"})', [("up", "up", 'up{up="up"}', [("up", "=", "up", '"up"')])]),
    (
        'rate(a{b=~"c|d", e!="f"}[5m] offset 1h)',
        [("a", "a", 'a{b=~"c|d", e!="f"}', [("b", "=~", "c|d", '"c|d"'), ("e", "!=", "f", '"f"')])],
    ),
    (
        '{__name__="a", b="c"}',
        [
            (
                "a",
                '"a"',
                '{__name__="a", b="c"}',
                [("__name__", "=", "a", '"a"'), ("b", "=", "c", '"c"')],
            )
        ],
    ),
    (
        '{"a.b", "c.d"=`\\d`}',
        [("a.b", '"a.b"', '{"a.b", "c.d"=`\\d`}', [("c.d", "=", "\\d", "`\\d`")])],
    ),
    ('{a="b"}', [("", "", '{a="b"}', [("a", "=", "b", '"b"')])]),
    ("foo and on (foo) foo", [("foo", "foo", "foo", []), ("foo", "foo", "foo", [])]),
    ("sum + by * offset", [(name, name, name, []) for name in ("sum", "by", "offset")]),
    (
        'foo{a=~"\\\\Qa.b\\\\E"}',
        [("foo", "foo", 'foo{a=~"\\\\Qa.b\\\\E"}', [("a", "=~", "\\Qa.b\\E", '"\\\\Qa.b\\\\E"')])],
    ),
    ("vector(1) + 2", []),
    ("holt_winters", [("holt_winters", "holt_winters", "holt_winters", [])]),
]


@pytest.mark.parametrize(("text", "expected"), SELECTORS, ids=[text for text, _ in SELECTORS])
def test_selectors(text: str, expected: list[object]) -> None:
    expression = parsed(text)
    assert [
        (
            found.name,
            text[found.name_start : found.name_end],
            text[found.start : found.end],
            [(m.label, m.op, m.value, text[m.value_start : m.value_end]) for m in found.matchers],
        )
        for found in promql.selectors(expression)
    ] == expected


def test_labels_of_matchers_point_at_themselves() -> None:
    text = 'a{a="a", b!~"a"} + a{a="b"}'
    matchers = [m for found in promql.selectors(parsed(text)) for m in found.matchers]
    assert [(m.label_start, text[m.label_start : m.label_end]) for m in matchers] == [
        (2, "a"),
        (9, "b"),
        (21, "a"),
    ]


def test_the_same_word_twice_is_told_apart() -> None:
    assert [(s.start, s.end) for s in promql.selectors(parsed("up / up"))] == [(0, 2), (5, 7)]


def test_groupings() -> None:
    text = 'sum by (a, "b.c") (x) / on (a) group_left (d, a_) sum without () (y)'
    assert [
        (found.keyword, [(label, text[start:end]) for label, start, end in found.labels])
        for found in promql.groupings(parsed(text))
    ] == [
        ("by", [("a", "a"), ("b.c", '"b.c"')]),
        ("on", [("a", "a")]),
        ("group_left", [("d", "d"), ("a_", "a_")]),
        ("without", []),
    ]


def test_calls() -> None:
    text = "sum(rate(sum[5m])) > MAX(rate)"
    assert [(call.text, call.start) for call in promql.calls(parsed(text))] == [
        ("sum", 0),
        ("rate", 4),
        ("MAX", 21),
    ]


@pytest.mark.parametrize(
    ("text", "type_"),
    [("1 + 2", "scalar"), ("scalar(up)", "scalar"), ("up + 1", "vector"), ("-(up)", "vector")],
)
def test_value_type(text: str, type_: str) -> None:
    assert parsed(text).type == type_


def test_the_tree_keeps_the_shape_of_the_text() -> None:
    tree = parsed("sum(a{b=`\\d`}) + holt_winters(c[5m], 0.1, 0.1)", (2, 53)).tree
    assert [type(node).__name__ for node in promql.walk(tree)] == [
        "Binary",
        "Aggregate",
        "Select",
        "Call",
        "Select",
        "Number",
        "Number",
    ]


def test_a_metric_called_like_a_removed_function_keeps_its_name() -> None:
    expression = parsed("holt_winters(holt_winters[5m], 0.1, 0.1)", (2, 42))
    assert [selector.name for selector in promql.selectors(expression)] == ["holt_winters"]
