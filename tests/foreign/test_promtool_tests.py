"""promtool unit test files: what is called broken breaks, at the place that is pointed at."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuobs import checks
from gpuobs.foreign import promtool_tests
from gpuobs.spec.document import read
from gpuobs.verify.promtool import Promtool
from tests.checks.test_pages import example
from tests.foreign.promtool_files import NEWEST, found, rule_file, run, seen

RULES = """\
groups:
  - name: g
    rules:
      - {record: 'node:x:max', expr: max by (node) (x)}
      - {alert: Low, expr: 'sum(rate(x[2m])) < 10', for: 1m}
      - {alert: Gone, expr: absent(x), for: 3m}
"""


def page(code: str, title: str) -> tuple[str, dict[str, str]]:
    """A page's example with the rules that the page gives."""
    rules = re.search(r"^Rules:", checks.module(code).__doc__ or "", re.MULTILINE)
    return example(code, title), {"rules.yaml": example(code, "Rules")} if rules else {}


@pytest.mark.parametrize("code", checks.OF_TESTS)
def test_bad_example_gives_exactly_its_code(code: str) -> None:
    findings = found(*page(code, "Bad"), version=(2, 42))
    assert [(f.code, f.severity) for f in findings] == [(code, checks.module(code).SEVERITY)]


@pytest.mark.parametrize("code", checks.OF_TESTS)
def test_good_example_gives_nothing_and_passes(
    code: str, each_promtool: Promtool, tmp_path: Path
) -> None:
    tests, rules = page(code, "Good")
    assert found(tests, rules, (2, 42)) == []
    assert run(each_promtool, tmp_path, tests, rules) == ""


# promtool itself lets these pass, always or on some days.
PASSING = {"test/group-order", "test/missing-rule-file", "test/unknown-alert"}


@pytest.mark.parametrize("code", [code for code in checks.OF_TESTS if code not in PASSING])
def test_bad_example_fails(code: str, each_promtool: Promtool, tmp_path: Path) -> None:
    assert run(each_promtool, tmp_path, *page(code, "Bad")) != ""


# Mistakes in the form ------------------------------------------------------------------------------------------------

FORM = """\
rule_files: [rules.yaml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - series: 'x{node="n1"}'
        values: '1x20'
    promql_expr_test:
      - expr: sum(x)
        eval_time: 5m
        exp_samples:
          - labels: '{}'
            value: 1
    alert_rule_test:
      - eval_time: 10m
        alertname: Low
        exp_alerts:
          - exp_labels: {}
"""


@pytest.mark.parametrize(
    ("right", "wrong", "code", "token"),
    [
        ("evaluation_interval: 1m", "evaluation_interval: 60", "yaml/bad-value", "60"),
        ("eval_time: 5m", "eval_time: 1.5m", "yaml/bad-value", "1.5m"),
        ("eval_time: 5m", "eval_time: 5 m", "yaml/bad-value", "5 m"),
        ("eval_time: 10m", "eval_time: ''", "yaml/bad-value", "''"),
        ("interval: 1m\n    input", "interval: [1m]\n    input", "yaml/wrong-type", "[1m]"),
        ("evaluation_interval", "evaluation_intervall", "yaml/unknown-key", "evaluation_intervall"),
        ("eval_time: 5m", "evaltime: 5m", "yaml/unknown-key", "evaltime"),
        ("exp_labels: {}", "labels: {}", "yaml/unknown-key", "labels"),
        ("exp_labels: {}", "exp_labels: [a]", "yaml/wrong-type", "[a]"),
        ("exp_labels: {}", "exp_labels: {a: [b]}", "yaml/wrong-type", "[b]"),
        ("[rules.yaml]", "rules.yaml", "yaml/wrong-type", "rules.yaml"),
        ("value: 1", "value: '1'", "yaml/wrong-type", "'1'"),
        ("value: 1", "value: NaN", "yaml/wrong-type", "NaN"),
        ("alertname: Low", "alertname:", "yaml/missing-key", "eval_time: 10m"),
        ('x{node="n1"}', 'x{node=~"n1"}', "test/bad-series", 'node=~"n1"'),
        ("'x{node=\"n1\"}'", "sum(x)", "test/bad-series", "sum(x)"),
        ("'x{node=\"n1\"}'", "x{node", "test/bad-series", None),
        ("'{}'", "'a=\"b\"'", "test/bad-series", "="),
        ("'{}'", "'{a=~\"b\"}'", "test/bad-series", 'a=~"b"'),
        ("'1x20'", "'1 x20'", "test/bad-values", "x20"),
        ("'1x20'", "'1x20, 2'", "test/bad-values", "1x20,"),
        ("'1x20'", "'1+-2x20'", "test/bad-values", "1+-2x20"),
        ("sum(x)", "sum(x", "promql/syntax", None),
        ("sum(x)", "x[5m]", "promql/syntax", "x[5m]"),
        ("tests:", "group_eval_order: [g, g]\ntests:", "yaml/bad-value", "g"),
    ],
)
def test_forms_that_promtool_refuses(
    right: str,
    wrong: str,
    code: str,
    token: str | None,
    each_promtool: Promtool,
    tmp_path: Path,
) -> None:
    assert right in FORM
    text = FORM.replace(right, wrong)
    files = {"test.yaml": text, "rules.yaml": RULES}
    ((found_code, found_token, file),) = seen(found(text, {"rules.yaml": RULES}), files)
    assert (found_code, file) == (code, "test.yaml")
    assert token is None or found_token == token
    assert run(each_promtool, tmp_path, text, {"rules.yaml": RULES}) != ""


@pytest.mark.parametrize(
    ("right", "other"),
    [
        ("evaluation_interval: 1m", "evaluation_interval: 0"),
        ("eval_time: 10m", "eval_time: 0h10m"),
        ("'{}'", ""),
        ("exp_labels: {}", "exp_labels: "),
        ("exp_labels: {}", "exp_annotations: {}"),
        ("    promql_expr_test", "    name: x\n    external_labels: {a: b}\n    promql_expr_test"),
        ("    promql_expr_test", "    external_url: http://x\n    promql_expr_test"),
        ("'1x20'", "'1x20 _ stale _x3'"),
        ("'x{node=\"n1\"}'", "'x{}'"),
        ("'x{node=\"n1\"}'", '\'{__name__="x", node=""}\''),
        ("[rules.yaml]", "['rules.yaml']"),
        ("tests:", "group_eval_order: [g]\ntests:"),
    ],
)
def test_forms_that_promtool_takes(
    right: str, other: str, each_promtool: Promtool, tmp_path: Path
) -> None:
    assert right in FORM
    text = FORM.replace(right, other)
    assert found(text, {"rules.yaml": RULES}) == []
    assert run(each_promtool, tmp_path, text, {"rules.yaml": RULES}) == ""


@pytest.mark.parametrize(
    ("field", "version", "good"),
    [
        ("fuzzy_compare", (3, 5), True),
        ("fuzzy_compare", (2, 53), False),
        ("fuzzy_compare", (2, 42), False),
    ],
)
def test_fields_by_version(
    field: str, version: tuple[int, int], good: bool, each_promtool: Promtool, tmp_path: Path
) -> None:
    text = f"{field}: true\n{FORM}"
    files = {"test.yaml": text, "rules.yaml": RULES}
    expected = [] if good else [("target/unsupported-field", field, "test.yaml")]
    assert seen(found(text, {"rules.yaml": RULES}, version), files) == expected
    if each_promtool.version.startswith(f"{version[0]}.{version[1]}."):
        assert (run(each_promtool, tmp_path, text, {"rules.yaml": RULES}) == "") == good


SAMPLES = (
    "1 2 3|1x3|1+2x3|1-2x3|1+-2x3|-1|+1|1e3|1e+3|1e-3x2|0x1F|1.5x2|.5|5.|Inf|-Inf|+Inf|inf|NaN|nan|-NaN|stale|stalex3|_|"
    "_x3|_ x3|1 x3||  |1,2|1x-3|1+1x|1x3.5|NaNx3|Infx3|1+x3|1 + 2x3|1h|x3|01|1X3|1+Infx3|1+NaNx3|1x0|_x0|1+ 2x3|0x20|5 6_"
).split("|")


def is_read(values: str) -> bool:
    findings = found(FORM.replace("1x20", values), {"rules.yaml": RULES})
    return "test/bad-values" not in [finding.code for finding in findings]


def test_samples_that_are_read_are_read_by_promtool(
    each_promtool: Promtool, tmp_path: Path
) -> None:
    series = [values for values in SAMPLES if is_read(values)]
    more = "".join(
        f"      - {{series: s{at}, values: '{values}'}}\n" for at, values in enumerate(series)
    )
    text = FORM.replace("    promql_expr_test", f"{more}    promql_expr_test")
    assert found(text, {"rules.yaml": RULES}) == []
    assert run(each_promtool, tmp_path, text, {"rules.yaml": RULES}) == ""


@pytest.mark.parametrize("values", [values for values in SAMPLES if not is_read(values)])
def test_samples_that_are_not_read_are_refused(
    values: str, each_promtool: Promtool, tmp_path: Path
) -> None:
    text = FORM.replace("1x20", values)
    assert "parse error" in run(each_promtool, tmp_path, text, {"rules.yaml": RULES})


# Numbers that rounding does not leave exact --------------------------------------------------------------------------

EXPRESSION = """\
evaluation_interval: 1m
tests:
  - interval: INTERVAL
    input_series:
      - {{series: x, values: {x}}}
      - {{series: y, values: {y}}}
    promql_expr_test:
      - expr: "{expr}"
        eval_time: 10m
        exp_samples: [{{labels: '{{}}', value: {value}}}]
"""


def expression(expr: str, value: str, x: str, y: str = "0+1x120", interval: str = "10s") -> str:
    return EXPRESSION.format(x=x, y=y, expr=expr, value=value).replace("INTERVAL", interval)


@pytest.mark.parametrize(
    ("expr", "value", "x", "y"),
    [
        ("rate(x[5m]) / rate(y[5m])", "0.4", "0+0.4x120", "0+1x120"),
        ("sum(rate(x[5m])) / sum(rate(y[5m]))", "0.7", "0+0.7x120", "0+1x120"),
        ("100 * rate(x[5m]) / rate(y[5m])", "0.3", "0+0.003x120", "0+1x120"),
        ("avg_over_time(x[5m]) * avg_over_time(y[5m]) * 1.1", "3.63", "1.1x120", "3x120"),
        ("sum(x) + sum(y)", "0.3", "0.1x120", "0.2x120"),
        ("x * 1.1 * y", "3.63", "1.1x120", "3x120"),
        ("x - y", "0.1", "0.3x120", "0.2x120"),
        ("x / 100 / y", "0.009", "0.63x120", "0.7x120"),
        ("100 * rate(x[5m]) / rate(y[5m])", "5", "0+0.1x120", "0+2x120"),
        ("increase(x[5m])", "3.3", "0+0.11x120", "1x120"),
    ],
)
def test_a_number_that_is_called_inexact_fails(
    expr: str, value: str, x: str, y: str, each_promtool: Promtool, tmp_path: Path
) -> None:
    text = expression(expr, value, x, y)
    findings = seen(found(text), {"test.yaml": text})
    assert findings == [("test/exact-float", value, "test.yaml")]
    assert run(each_promtool, tmp_path, text) != ""


@pytest.mark.parametrize(
    ("expr", "value", "x", "y"),
    [
        ("sum(x) / sum(y)", "0.4", "2x120", "5x120"),
        ("100 * sum(x) / sum(y)", "33.2", "83x120", "250x120"),
        ("sum(x)", "0.4", "0.4x120", "1x120"),
        ("max(max_over_time(x[5m]))", "0.4", "0.4x120", "1x120"),
        ("avg(avg_over_time(x[5m]))", "0.9", "0.9x120", "1x120"),
        ("round(rate(x[5m]) / rate(y[5m]), 0.001)", "0.4", "0+0.4x120", "0+1x120"),
        ("sum(rate(x[5m]) / rate(y[5m]) > bool 0.39)", "1", "0+0.4x120", "0+1x120"),
        ("count(rate(x[5m]) / rate(y[5m]))", "1", "0+0.4x120", "0+1x120"),
        ("rate(x[5m]) / rate(y[5m])", "0.5", "0+0.5x120", "0+1x120"),
        ("sum(x) / 1024", "0.0003", "0.3072x120", "1x120"),
        ("sum(rate(x[5m]))", "0.1", "0+1x120", "1x120"),
        ("x / 100 / y", "0.07", "4.9x120", "0.7x120"),
        ("avg_over_time(x[5m]) / avg_over_time(y[5m]) * 1.1", "0.33", "0.3x120", "1x120"),
        ("rate(x[5m]) / rate(y[5m])", "0.3999999999999991", "0+0.4x120", "0+1x120"),
    ],
)
def test_a_number_that_is_let_alone_passes(
    expr: str, value: str, x: str, y: str, each_promtool: Promtool, tmp_path: Path
) -> None:
    text = expression(expr, value, x, y)
    assert found(text) == []
    assert run(each_promtool, tmp_path, text) == ""


# Alerts that cannot fire yet -----------------------------------------------------------------------------------------

ALERT = """\
rule_files: [rules.yaml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - {{series: 'x{{node="n1"}}', values: '{x}'}}
    alert_rule_test:
      - {{eval_time: {at}, alertname: A, exp_alerts: [{{exp_labels: {{}}}}]}}
"""
ALERT_RULES = """\
groups:
  - name: g
    rules:
      - {{record: 'r:x:rate', expr: 'sum(rate(x[2m]))'}}
      - {{record: 'r:x:max', expr: 'max(x)'}}
      - {{alert: A, expr: '{expr}', for: {for_}}}
"""


@pytest.mark.parametrize(
    ("expr", "for_", "x", "first"),
    [
        ("sum(x) > 0", "0s", "1x30", "0s"),
        ("sum(x) > 0", "5m", "1x30", "5m"),
        ("sum(x) > 0", "90s", "1x30", "2m"),
        ("sum(x) > 0", "5m", "_x4 1x30", "9m"),
        ("sum(x offset 3m) > 0", "1m", "1x30", "4m"),
        ("sum(rate(x[2m])) > 0", "1m", "0+1x30", "2m"),
        ("sum(increase(x[10m])) > 0", "1m", "_ _ 0+1x30", "4m"),
        ("r:x:rate > 0", "1m", "0+1x30", "2m"),
        ("sum(r:x:max) > 0 and sum(rate(x[2m])) > 0", "0s", "1+1x30", "1m"),
        ("sum(x) > 0 or sum(rate(x[2m])) > 0", "2m", "1x30", "2m"),
        ("sum(rate(r:x:max[3m])) > 0", "1m", "1+1x30", "2m"),
        ("sum(x) > 0 unless sum(y) > 0", "1m", "_ 1x30", "2m"),
        ("absent(y)", "3m", "1x30", "3m"),
        ("max_over_time(sum(x)[5m:1m]) > 0", "1m", "_x2 1x30", "3m"),
        ("vector(1) > 0", "2m", "1x30", "2m"),
    ],
)
def test_the_first_moment_at_which_an_alert_fires(
    expr: str, for_: str, x: str, first: str, each_promtool: Promtool, tmp_path: Path
) -> None:
    rules = {"rules.yaml": ALERT_RULES.format(expr=expr, for_=for_)}
    text = ALERT.format(x=x, at=first)
    assert found(text, rules) == []
    assert run(each_promtool, tmp_path, text, rules) == ""
    minutes = int(first.rstrip("ms")) - 1
    if minutes < 0:
        return
    early = ALERT.format(x=x, at=f"{minutes}m59s")
    assert seen(found(early, rules), {"test.yaml": early}) == [
        ("test/too-early", f"{minutes}m59s", "test.yaml")
    ]
    assert run(each_promtool, tmp_path, early, rules) != ""


def test_an_alert_without_series_never_fires(each_promtool: Promtool, tmp_path: Path) -> None:
    rules = {"rules.yaml": ALERT_RULES.format(expr='sum(x{node="n2"}) > 0', for_="0s")}
    text = ALERT.format(x="1x30", at="30m")
    (finding,) = found(text, rules)
    assert (finding.code, finding.message) == (
        "test/too-early",
        "'A' cannot fire at 30m: the series of this test never give its expression a result",
    )
    assert run(each_promtool, tmp_path, text, rules) != ""


def test_a_window_of_one_sample_from_prometheus_3_on(
    each_promtool: Promtool, tmp_path: Path
) -> None:
    """The author of prometheus/prometheus#5951 looked for it for a week."""
    rules = {"rules.yaml": ALERT_RULES.format(expr="sum(rate(x[1m])) < 10", for_="1m")}
    text = ALERT.format(x="1+0x10", at="5m")
    files = {"test.yaml": text, **rules}
    assert seen(found(text, rules), files) == [("test/too-early", "[1m]", "rules.yaml")]
    newer = each_promtool.version.startswith("3.")
    assert (run(each_promtool, tmp_path, text, rules) != "") == newer


# Order of groups -----------------------------------------------------------------------------------------------------

TWO_GROUPS = """\
groups:
  - name: first
    rules:
      - {record: 'a:x:max', expr: max(x)}
  - name: then
    rules:
      - {record: 'b:x:max', expr: max(a:x:max)}
"""
ORDER = """\
rule_files: [rules.yaml]
ORDER
tests:
  - interval: 1m
    input_series: [{series: x, values: 0+1x20}]
    promql_expr_test:
      - {expr: NAME, eval_time: 10m, exp_samples: [{labels: NAME, value: 10}]}
"""


@pytest.mark.parametrize(
    ("order", "name", "token"),
    [
        ("", "b:x:max", "rule_files"),
        ("group_eval_order: [first]", "b:x:max", "group_eval_order"),
        ("group_eval_order: [then]", "b:x:max", "group_eval_order"),
        ("group_eval_order: [first, then]", "b:x:max", None),
        ("", "a:x:max", None),
    ],
)
def test_groups_in_random_order(order: str, name: str, token: str | None) -> None:
    text = ORDER.replace("ORDER", order).replace("NAME", name)
    expected = [] if token is None else [("test/group-order", token, "test.yaml")]
    assert seen(found(text, {"rules.yaml": TWO_GROUPS}), {"test.yaml": text}) == expected


def test_groups_in_random_order_give_random_results(promtool: Promtool, tmp_path: Path) -> None:
    text = ORDER.replace("ORDER", "group_eval_order: [first]").replace("NAME", "b:x:max")
    said = {run(promtool, tmp_path, text, {"rules.yaml": TWO_GROUPS}) for _ in range(60)}
    assert len(said) == 2


def test_names_of_groups() -> None:
    order = "group_eval_order: [frist, then]"
    text = ORDER.replace("ORDER", order).replace("NAME", "a:x:max")
    (finding,) = found(text, {"rules.yaml": TWO_GROUPS})
    assert (finding.code, finding.hint) == ("test/group-order", "did you mean 'first'?")


# Rule files ----------------------------------------------------------------------------------------------------------


def test_nothing_is_concluded_where_a_rule_file_cannot_be_read() -> None:
    node, _ = read("test.yaml", FORM.replace("Low", "Unknown").encode())
    assert node is not None
    file, problems = promtool_tests.read(node, (3, 5))
    assert problems == []
    assert list(promtool_tests.problems(file, {"rules.yaml": None})) == []


# Anything ------------------------------------------------------------------------------------------------------------

_PIECES = [
    "'",
    "{",
    "}",
    "[",
    "]",
    ":",
    " ",
    "\n",
    "-",
    "_",
    "null",
    "0",
    "1e999",
    "{{",
    "[]",
    "{}",
    "..",
    "9" * 30 + "y",
]


@given(data=st.data())
@settings(max_examples=200, deadline=None)
def test_no_text_breaks_the_reading(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([FORM, ALERT.format(x="1x30", at="5m"), ORDER]))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = start + data.draw(st.sampled_from([0, 1, 5]))
        text = text[:start] + data.draw(st.sampled_from(_PIECES)) + text[end:]
    node, problems = read("test.yaml", text.encode())
    if node is not None:
        file, problems = promtool_tests.read(node, NEWEST)
        rules = [rule_file("rules.yaml", TWO_GROUPS)]
        known = dict.fromkeys(file.texts("rule_files"), rules)
        problems = [*problems, *promtool_tests.problems(file, known)]
    lines = text.count("\n") + 1
    assert all(one.message and 1 <= one.span.line <= lines for one in problems)


def test_a_chain_of_rules_without_end() -> None:
    deep = "abs(" * 90 + "r:NUMBER" + " + 1" * 200 + ")" * 90
    chain = "".join(
        f"      - {{record: 'r:{at}', expr: '{deep.replace('NUMBER', str(at - 1))}'}}\n"
        for at in range(1, 30)
    )
    rules = ALERT_RULES.format(expr="r:29 > 0", for_="1m") + chain
    assert found(ALERT.format(x="_x3 1x30", at="1m"), {"rules.yaml": rules}) == []
