"""What the checks of rules say of rule files that gpuobs did not write, and where they keep quiet."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.rule_files import findings, said

K04O = """\
groups:
  - name: g
    rules:
      - alert: CacheOverflow
        expr: cache_size > 100
        labels:
          severity: warning
          annotations: ""
          summary: "cache {{ $labels.name }} at {{ $value }}"
"""
NODES = """\
groups:
  - name: roll
    rules:
      - record: node:gpu_util:max
        expr: max by (Hostname) (DCGM_FI_DEV_GPU_UTIL)
"""
FLEET = """\
groups:
  - name: fleet
    rules:
      - record: fleet:gpu_util:max
        expr: max(node:gpu_util:max)
"""


def group(*rules: str, name: str = "g", interval: str = "") -> str:
    """A rule file of one group, with each rule as a flow mapping's inside."""
    head = f"groups:\n  - name: {name}\n" + (f"    interval: {interval}\n" if interval else "")
    return head + "    rules:\n" + "".join(f"      - {{{rule}}}\n" for rule in rules)


def alert(expr: str, name: str = "A", rest: str = "labels: {severity: warning}") -> str:
    return f"alert: {name}, expr: '{expr}', {rest}"


def record(expr: str, name: str = "a:b:c", rest: str = "labels: {}") -> str:
    return f"record: '{name}', expr: '{expr}', {rest}"


# alert/annotation-as-label -------------------------------------------------------------------------------------------


def test_annotations_one_level_too_deep_are_reported_once_at_a_text() -> None:
    assert said("alert/annotation-as-label", K04O) == [
        'a.yml:9 summary: "cache {{ $labels.name }} at {{ $value }}": '
        "'annotations' and 'summary' are labels of 'CacheOverflow' here"
    ]


@pytest.mark.parametrize(
    "rest",
    [
        "labels: {severity: warning, dashboard: gpu}",
        "labels: {summary: daily}, annotations: {description: see the summary label}",
        "labels: {message: '{{ $labels.topic }}'}, annotations: {description: one a topic}",
    ],
)
def test_a_label_that_is_a_mere_value_is_left_alone(rest: str) -> None:
    assert said("alert/annotation-as-label", group(alert("x > 1", rest=rest))) == []


def test_a_sentence_among_the_labels_is_an_annotation_whatever_else_there_is() -> None:
    rest = "labels: {summary: 'GPU {{ $labels.gpu }} is hot'}, annotations: {description: hot}"
    assert said("alert/annotation-as-label", group(alert("x > 1", rest=rest))) == [
        "a.yml:4 summary: 'GPU {{ $labels.gpu }} is hot': 'summary' is a label of 'A' here"
    ]


# alert/topk-in-alert -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expr",
    ["topk(5, x) > 1", "(bottomk(3, x)) < 1", "x > 1 and topk(5, y)", "topk(1, x) > 1"],
)
def test_series_that_topk_picks_flap(expr: str) -> None:
    function = "bottomk" if "bottomk" in expr else "topk"
    assert said("alert/topk-in-alert", group(alert(expr))) == [
        f"a.yml:4 {function}: the series of this alert are those that '{function}' picks at the moment"
    ]


@pytest.mark.parametrize(
    "expr",
    [
        "count(topk(5, x)) > 1",
        "topk by (node) (1, x) > 1",
        "x > 1 unless topk(5, x)",
        "x > scalar(topk(1, y))",
    ],
)
def test_topk_that_does_not_choose_the_series_or_folds_them_is_left_alone(expr: str) -> None:
    assert said("alert/topk-in-alert", group(alert(expr))) == []


# alert/duplicate, alert/overlapping ----------------------------------------------------------------------------------


def test_one_alert_in_two_files_is_a_duplicate_whatever_its_layout() -> None:
    one, other = group(alert("x > 1")), group(alert("x>1 # hot"), name="other")
    assert said("alert/duplicate", one, other) == [
        "b.yml:4 A: alert 'A' is there twice, with the same labels and expression"
    ]


def test_a_name_for_two_severities_is_no_duplicate() -> None:
    critical = alert("x > 2", rest="labels: {severity: critical}")
    assert findings({"a.yml": group(alert("x > 1"), critical)}) == []


def test_versions_of_a_group_for_several_servers_are_not_compared() -> None:
    rules = alert("x > 1"), record("sum(y)")
    assert findings({"eu/gpu.yml": group(*rules), "us/gpu.yml": group(*rules)}) == []


@pytest.mark.parametrize(
    ("looser", "stricter", "token"),
    [
        ("x > 80", "x > 90", "90"),
        ("(x) < 0.5", "(x) < 0.1", "0.1"),
        ("x > -5", "x > 5", "5"),
        ("x > 80 and y > 1", "x > 90 and y > 1", "90"),
        ("x unless y > 90", "x unless y > 80", "80"),
    ],
)
def test_the_stricter_of_two_thresholds_tells_nothing_new(
    looser: str, stricter: str, token: str
) -> None:
    expected = [f"a.yml:5 {token}: 'B' only fires while 'A' does, with the same labels"]
    assert said("alert/overlapping", group(alert(looser), alert(stricter, "B"))) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (alert("x > 80"), alert("x > 90", "B", "labels: {severity: critical}")),
        (alert("x > 80", rest="for: 1h"), alert("x > 90", "B", "for: 5m")),
        (alert("x > 80"), alert("y > 90", "B")),
        (alert("x > 80"), alert("x < 20", "B")),
        (alert("count(x > 80) > 3"), alert("count(x > 90) > 3", "B")),
        (alert("x == 80"), alert("x == 90", "B")),
        (alert("x > 80 * y"), alert("x > 90 * y", "B")),
        (alert("x > bool 80 > 0"), alert("x > bool 90 > 0", "B")),
    ],
)
def test_thresholds_that_tell_something_new_are_left_alone(one: str, other: str) -> None:
    assert said("alert/overlapping", group(one, other)) == []


# rule/order, rule/cross-group ----------------------------------------------------------------------------------------


def test_a_rule_above_what_it_reads_is_late() -> None:
    text = group(record("a:b:c + 1", "d:e:f"), record("sum(x)"), alert("a:b:c > 1"))
    assert said("rule/order", text) == [
        "a.yml:4 a:b:c: 'a:b:c' is recorded below this rule, which reads it one evaluation late"
    ]


@pytest.mark.parametrize(
    "expr",
    ["avg_over_time(d:e:f[1h])", "d:e:f offset 5m", "a:b:c + 1", "other"],
)
def test_a_range_an_offset_and_the_rule_itself_are_no_matter_of_order(expr: str) -> None:
    assert findings({"a.yml": group(record(expr), record("sum(x)", "d:e:f"))}) == []


def test_a_name_that_is_recorded_above_too_is_read_in_time() -> None:
    pieces = [record(f"sum(x{i})", rest=f"labels: {{part: '{i}'}}") for i in range(2)]
    assert said("rule/order", group(pieces[0], record("a:b:c", "d:e:f"), pieces[1])) == []


def test_rules_in_a_circle_are_a_circle_and_in_no_wrong_order() -> None:
    text = group(record("d:e:f * 2"), record("g:h:i * 2", "d:e:f"), record("a:b:c", "g:h:i"))
    assert [finding.code for finding in findings({"a.yml": text})] == ["rule/cycle"]


def test_a_record_of_another_group_is_read_late() -> None:
    expected = "'node:gpu_util:max' is recorded in group 'roll' and read up to one interval late"
    assert said("rule/cross-group", NODES, FLEET) == [f"b.yml:5 node:gpu_util:max: {expected}"]
    assert said("rule/cross-group", FLEET) == []


def test_each_group_that_is_read_from_is_named_once() -> None:
    more = FLEET + "      - {record: 'fleet:gpu_util:min', expr: min(node:gpu_util:max)}\n"
    assert len(said("rule/cross-group", NODES, more)) == 1


def test_the_group_is_named_whose_labels_are_read() -> None:
    pieces = [
        group(record("sum(x)", rest=f"labels: {{of: {name}}}"), name=name) for name in ("b", "c")
    ]
    reader = group("record: 'd:e:f', expr: \"sum(a:b:c{of='c'})\"")
    assert said("rule/cross-group", *pieces, reader) == [
        "c.yml:4 a:b:c: 'a:b:c' is recorded in group 'c' and read up to one interval late"
    ]


@pytest.mark.parametrize(
    "rule",
    [
        alert("node:gpu_util:max > 90"),
        record("max(max_over_time(node:gpu_util:max[1h]))"),
        record("max(node:gpu_util:max offset 5m)"),
    ],
)
def test_alerts_ranges_and_offsets_may_read_another_group(rule: str) -> None:
    assert findings({"a.yml": NODES, "b.yml": group(rule)}) == []


# rule/interval, rule/duplicate-series, rule/name ---------------------------------------------------------------------


def intervals() -> Iterator[tuple[str, list[str]]]:
    said_of_10m = "queries look back 5m, so that what is recorded every 10m has gaps"
    yield group(record("sum(x)"), interval="10m"), [f"a.yml:3 10m: {said_of_10m}"]
    yield group(record("sum(x)"), interval="5m"), []
    yield group(alert("x > 1"), interval="1h"), []
    said_of_5s = "'DCGM_FI_DEV_GPU_TEMP' is scraped every 15s, less often than this"
    quick = record("max(DCGM_FI_DEV_GPU_TEMP)")
    yield group(quick, interval="5s"), [f"a.yml:3 5s: {said_of_5s}"]
    yield group(record("max(x)"), interval="5s"), []


@pytest.mark.parametrize(("text", "expected"), list(intervals()))
def test_an_interval_fits_the_lookback_and_the_scrape(text: str, expected: list[str]) -> None:
    assert said("rule/interval", text) == expected


def test_a_rule_is_evaluated_no_more_often_than_what_it_reads() -> None:
    slow = group(record("sum(x)"), name="slow", interval="3m")
    reader = record("max_over_time(a:b:c[1h])", "d:e:f")
    assert said("rule/interval", slow, group(reader, interval="30s")) == [
        "b.yml:3 30s: group 'slow', which this one reads, has a value every 3m only"
    ]
    assert said("rule/interval", slow, group(reader)) == []


def test_one_series_is_recorded_once() -> None:
    message = "'a:b:c' is recorded twice with the same labels"
    for other in ("sum( x )", "sum(y)"):
        rules = record("sum(x)"), record(other)
        assert said("rule/duplicate-series", group(*rules)) == [f"a.yml:5 'a:b:c': {message}"]


@pytest.mark.parametrize(
    "other",
    [
        record('sum by (code) (x{code=~"4.."})'),
        record("sum(x)", rest="labels: {part: all}"),
        record("sum(x)", name="A:b:c"),
    ],
)
def test_a_name_may_be_recorded_piece_by_piece(other: str) -> None:
    other = other.replace('"', '\\"').replace("'", '"')
    one = record("sum by (code) (x)")
    assert said("rule/duplicate-series", group(one, other)) == []


def test_others_name_their_rules_as_they_like_and_may_hold_a_value() -> None:
    assert findings({"a.yml": group(record("count(x)", "count"), record("m or x", "m"))}) == []


# What only the specs can be asked ------------------------------------------------------------------------------------


def test_a_closed_world_is_only_assumed_of_the_specs() -> None:
    text = group(
        alert("count(DCGM_FI_DEV_GPU_TEMP) < 8", rest="labels: {severity: critical}"),
        alert("rate(a_total[15m]) / rate(b_total[15m]) > 0.1", "B"),
    )
    assert findings({"a.yml": text}) == []
