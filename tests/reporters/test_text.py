"""The text report, as a user sees it."""

from __future__ import annotations

import pytest

from gpuobs.diagnostics import Diagnostic, Related, Span, error, warning
from gpuobs.reporters import render


def at(line: int, column: int, length: int = 1, file: str = "specs/a.yaml") -> Span:
    return Span(file, line, column, line, column + length)


def shown(diagnostic: Diagnostic, line: str, *, color: bool = False) -> str:
    return render("text", [diagnostic], lambda _file, _number: line, color=color)


def test_the_place_the_message_the_line_with_carets_and_the_hint() -> None:
    line = "      expr: sum by (cluster) (gpu:temp:max1m > 85) * on (node) node_rack"
    span = at(14, 58, 4)
    message = "'node' is gone after 'sum by (cluster)'"
    finding = error(span, "promql/label-lost", message, "join on (cluster)")
    assert shown(finding, line) == (
        "specs/a.yaml:14:58: error promql/label-lost: 'node' is gone after 'sum by (cluster)'\n"
        "    14 |       expr: sum by (cluster) (gpu:temp:max1m > 85) * on (node) node_rack\n"
        "       |                                                          ^^^^\n"
        "  hint: join on (cluster)\n"
        "1 error"
    )


def test_related_places_and_a_count_of_both_severities() -> None:
    related = (Related(at(2, 3, file="specs/b.yaml"), "the first is here"),)
    findings = [
        error(at(1, 1), "spec/duplicate-name", "'x' is there twice", related=related),
        warning(at(2, 1), "alert/for-too-long", "one"),
        warning(at(3, 1), "alert/for-too-long", "two"),
    ]
    assert render("text", findings, lambda _file, _number: "") == (
        "specs/a.yaml:1:1: error spec/duplicate-name: 'x' is there twice\n"
        "  specs/b.yaml:2:3: the first is here\n"
        "specs/a.yaml:2:1: warning alert/for-too-long: one\n"
        "specs/a.yaml:3:1: warning alert/for-too-long: two\n"
        "1 error, 2 warnings"
    )


def test_nothing_is_said_of_no_findings() -> None:
    assert render("text", [], lambda _file, _number: "") == ""


@pytest.mark.parametrize(
    ("line", "column", "excerpt", "carets"),
    [
        ("\tkey: 1", 2, " key: 1", " ^^^"),
        ("温度: key", 5, "温度: key", "      ^^^"),
        ("e\u0301: key", 5, "e\u0301: key", "   ^^^"),
        ("key", 1, "key", "^^^"),
        ("ab", 3, "ab", "  ^"),
        ("a\x1b[31m key", 8, "a\ufffd[31m key", "       ^^^"),
        ("\u202eyek key", 6, "\ufffdyek key", "     ^^^"),
    ],
    ids=["tab", "wide", "combining", "first", "after-the-end", "escape", "right-to-left"],
)
def test_the_carets_stand_under_the_place(
    line: str, column: int, excerpt: str, carets: str
) -> None:
    lines = shown(error(at(7, column, 3), "a/b", "m"), line).split("\n")
    assert lines[1:3] == [f"     7 | {excerpt}", f"       | {carets}"]


@pytest.mark.parametrize(
    ("column", "excerpt", "carets"),
    [
        (1, "key" + "x" * 104 + "...", "^^^"),
        (151, "..." + "x" * 27 + "key" + "x" * 74 + "...", " " * 30 + "^^^"),
        (301, "..." + "x" * 104 + "key", " " * 107 + "^^^"),
    ],
)
def test_a_long_line_is_cut_around_the_place(column: int, excerpt: str, carets: str) -> None:
    line = "x" * (column - 1) + "key" + "x" * (301 - column)
    lines = shown(error(at(7, column, 3), "a/b", "m"), line).split("\n")
    assert lines[1:3] == [f"     7 | {excerpt}", f"       | {carets}"]


def test_a_place_of_several_lines_is_marked_to_the_end_of_the_first() -> None:
    lines = shown(error(Span("a", 1, 3, 4, 1), "a/b", "m"), "- name: x  ").split("\n")
    assert lines[1:3] == ["     1 | - name: x", "       |   ^^^^^^^"]


def test_a_message_cannot_steer_the_terminal() -> None:
    finding = error(at(1, 1, file="a\x1b.yaml"), "a/b", "bad \x1b[2J\nthing", "do\nthis\x07")
    assert shown(finding, "") == (
        "a\ufffd.yaml:1:1: error a/b: bad \ufffd[2J thing\n  hint: do\n        this\ufffd\n1 error"
    )


def test_color_is_for_the_severity_the_carets_and_the_hint() -> None:
    assert shown(error(at(1, 1, 3), "a/b", "m", "h"), "key", color=True) == (
        "specs/a.yaml:1:1: \x1b[31;1merror\x1b[0m a/b: m\n"
        "     1 | key\n"
        "       | \x1b[36;1m^^^\x1b[0m\n"
        "  \x1b[32mhint:\x1b[0m h\n"
        "1 error"
    )
