"""What is wrong with an expression, at the token that breaks, with what to do."""

from __future__ import annotations

import pytest

from gpuobs import promql

SYNTAX = [
    ("sum(rate(foo[5m])", "(", "'(' is not closed", "close it with ')'"),
    ("sum(rate(foo[5m]) by (x)", "by", "'by' stands inside '('", "close '(' with ')' before it"),
    ("sum(rate(foo[5m)))", ")", "')' stands where ']' should close '['", "add ']' before it"),
    ('foo{a="b"', "{", "'{' is not closed", "close it with '}'"),
    ('foo{a="b', '"b', "this string is not closed", 'close it with "'),
    ("foo[5m", "[", "'[' is not closed", "close it with ']'"),
    ("(foo", "(", "'(' is not closed", "close it with ')'"),
    ("foo)", ")", "')' closes nothing", "remove it"),
    ("foo + ", "+", "'+' has nothing on its right", "a metric, a number or a function is missing"),
    (
        "foo + * bar",
        "*",
        "'*' has nothing on its left",
        "a metric, a number or a function is missing",
    ),
    ("* foo", "*", "'*' has nothing on its left", "a metric, a number or a function is missing"),
    (
        "foo and",
        "and",
        "'and' has nothing on its right",
        "a metric, a number or a function is missing",
    ),
    ("and foo", "and", "'and' has nothing on its left", ""),
    (
        "foo AND",
        "AND",
        "'AND' has nothing on its right",
        "a metric, a number or a function is missing",
    ),
    ("foo = 5", "=", "'=' compares nothing outside braces", "use '=='"),
    (
        "foo == ",
        "==",
        "'==' has nothing on its right",
        "a metric, a number or a function is missing",
    ),
    ("foo && bar", "&&", "PromQL has no '&&'", "use 'and'"),
    ("foo || bar", "||", "PromQL has no '||'", "use 'or'"),
    (
        "foo & 8 > 0",
        "&",
        "PromQL has no '&' and no other operation on bits",
        "floor(foo / 8) % 2 == 1",
    ),
    (
        'sum(foo{a="b"} & 72)',
        "&",
        "PromQL has no '&' and no other operation on bits",
        'floor(foo{a="b"} / 8) % 2 == 1 or floor(foo{a="b"} / 64) % 2 == 1',
    ),
    (
        "foo & bar",
        "&",
        "PromQL has no '&' and no other operation on bits",
        "test one bit: floor(X / BIT) % 2 == 1",
    ),
    ("foo | bar", "|", "PromQL has no '|'", "use 'or'"),
    ("not foo", "not", "PromQL has no 'not'", "use 'unless' or '!='"),
    ("!foo", "!", "PromQL has no '!'", "use '!=', '!~' or 'unless'"),
    ("rte(foo[5m])", "rte", "no function 'rte'", "did you mean 'rate'?"),
    ("Rate(foo[5m])", "Rate", "no function 'Rate'", "did you mean 'rate'?"),
    (
        "rate(foo)",
        "foo",
        "'rate' wants a range vector here, and this is an instant vector",
        "add a range, such as [5m]",
    ),
    ("rate(foo[5m], 5)", "5", "'rate' takes 1 argument, and here are 2", "remove the rest"),
    ("rate()", "rate", "'rate' takes 1 argument, and here are none", ""),
    ("round(foo,1,2)", "2", "'round' takes 2 arguments, and here are 3", "remove the rest"),
    ("clamp(foo, 1)", "clamp", "'clamp' takes 3 arguments, and here are 2", ""),
    (
        "histogram_quantile(sum(foo), 0.9)",
        "sum(foo)",
        "'histogram_quantile' wants a scalar here, and this is an instant vector",
        "",
    ),
    ("sum foo", "sum", "'sum' needs brackets around what it aggregates", "write sum(...)"),
    ("sum by (x) foo", "sum", "'sum' needs brackets around what it aggregates", "write sum(...)"),
    ("sum by x (foo)", "by", "'by' needs its labels in brackets", "write by (...)"),
    (
        "by (x) sum(foo)",
        "by",
        "'by' has no place here",
        "a metric, a number or a function is missing",
    ),
    ("sum(foo) by x", "by", "'by' needs its labels in brackets", "write by (...)"),
    (
        "sum(foo[5m])",
        "foo[5m]",
        "'sum' wants an instant vector here, and this is a range vector",
        "aggregate the range first, such as rate() or avg_over_time()",
    ),
    ("topk(foo)", "topk", "'topk' takes a parameter and a vector, and here is 1", ""),
    ("topk(5)", "topk", "'topk' takes a parameter and a vector, and here is 1", ""),
    ("sum()", "sum", "'sum' takes 1 argument, and here are none", ""),
    ("foo{a=b}", "b", "a label's value is not in quotes", 'write "b"'),
    ('foo{a="b" c="d"}', "c", "'c' has no place here", "',' or '}' is missing before it"),
    ('foo{a:"b"}', "a:", "'a:' is no label name", 'write label="value"'),
    ('foo{a=="b"}', "==", "'==' compares numbers; a label is matched with '='", "use '='"),
    ("foo{a}", "a", "'a' needs an operator and a value", 'write a="value"'),
    ("foo{a=}", "=", "'=' needs a value in quotes", 'a="value"'),
    ('foo{a="b",,}', ",", "',' is no label name", 'write label="value"'),
    ("foo[5 min]", "5 min", "'5 min' is no duration", "write 5m"),
    ("foo[5min]", "5min", "'5min' is neither a number nor a duration", "such as 5m, 1h30m or 1.5"),
    ("foo[5 minutes]", "5 minutes", "'5 minutes' is no duration", "write 5m"),
    ("foo[1h 30m]", "1h 30m", "'1h 30m' is no duration", "write 1h30m"),
    (
        "foo[30m1h]",
        "30m1h",
        "the units of '30m1h' are not in falling order, each once",
        "such as 1h30m",
    ),
    ("foo[]", "]", "a duration is missing before ']'", "such as 5m"),
    ("foo[5m:1m:2]", ":", "':' has no place here", "']' is missing before it"),
    ("foo offset", "offset", "the expression ends too early", "a duration is missing, such as 5m"),
    ("foo offset bar", "bar", "'bar' is no duration", "such as 5m or 1h30m"),
    (
        "(foo) offset 5m",
        "offset",
        "'offset' can only stand behind a metric, its range or a subquery",
        "move it to the metric",
    ),
    (
        "foo[5m] > 1",
        "foo[5m]",
        "'>' computes with instant vectors and scalars, and this is a range vector",
        "aggregate it first, such as rate() or avg_over_time()",
    ),
    (
        "sum(foo)[5m]",
        "[5m]",
        "a range can only stand behind a metric",
        "write a subquery, such as [5m:1m]",
    ),
    ("foo{a=“b”}", "“b”", "'“' is a typographic quote", 'write "b"'),
    ("“foo”", "“foo”", "'“' is a typographic quote", 'write "foo"'),
    ("foo{a='b”}", "'b”}", "this string is not closed", "close it with '"),
    ("1 == 1", "==", "two scalars are only compared with 'bool'", "write == bool"),
    ("foo and 1", "1", "'and' joins series, and this is a scalar", "vector() makes a series of it"),
    (
        "a + on(x) group_left(x) b",
        "x",
        "'x' stands in 'on' and in 'group_left'",
        "remove it from group_left",
    ),
    ("a and on(x) group_left b", "group_left", "'and' takes no 'group_left'", "remove it"),
    ("a group_left(x) b", "group_left", "'group_left' has no place here", ""),
    (
        "a + group_left(x) b",
        "group_left",
        "'group_left' has no place here",
        "a metric, a number or a function is missing",
    ),
    (
        "a == on(x) bool b",
        "bool",
        "'bool' has no place here",
        "a metric, a number or a function is missing",
    ),
    ("a + bool b", "bool", "'bool' belongs to a comparison, and '+' is none", "remove it"),
    ("foo @ now", "now", "'@' needs a time: seconds since 1970, start() or end()", "@ end()"),
    ("foo @", "@", "'@' needs a time: seconds since 1970, start() or end()", "@ end()"),
    (
        "$metric",
        "$metric",
        "'$metric' is a dashboard variable, and a rule has none",
        "write the value",
    ),
    (
        "foo{$filter}",
        "$filter",
        "'$filter' is a dashboard variable, and a rule has none",
        "write the value",
    ),
    (
        "foo[$__rate_interval]",
        "$__rate_interval",
        "'$__rate_interval' is a dashboard variable, and a rule has none",
        "write the value",
    ),
    (
        "sum by ($g) (foo)",
        "$g",
        "'$g' is a dashboard variable, and a rule has none",
        "write the value",
    ),
    (
        "foo bar",
        "bar",
        "'bar' follows without an operator",
        "an operator, 'and' or a comma is missing before it",
    ),
    (
        'foo "bar"',
        '"bar"',
        "'\"bar\"' follows without an operator",
        "an operator, 'and' or a comma is missing before it",
    ),
    ("foo.bar", ".", "a name cannot have a dot", "metrics and labels are written with _"),
    (
        '{a=""}',
        '{a=""}',
        "this selects every series: one matcher must refuse an empty value",
        "name the metric before the braces",
    ),
    (
        "{}",
        "{}",
        "this selects every series: one matcher must refuse an empty value",
        "name the metric before the braces",
    ),
    ("()", "()", "there is nothing between '(' and ')'", ""),
    (
        'foo{a=~"a**"}',
        '"a**"',
        "Prometheus cannot compile this regular expression: '**' repeats a repetition",
        "",
    ),
    ('foo{a="\\d"}', "\\d", "'\\d' is no escape sequence", "write \\\\d, or the string in `"),
    ('-"a"', '"a"', "'-' computes with instant vectors and scalars, and this is a string", ""),
    (
        '"a" == "b"',
        '"a"',
        "'==' computes with instant vectors and scalars, and this is a string",
        "",
    ),
    ('foo > "5"', '"5"', "'>' computes with instant vectors and scalars, and this is a string", ""),
    (
        'label_replace(foo, bar, "$1", "x", "y")',
        "bar",
        "'label_replace' wants a string here, and this is an instant vector",
        "",
    ),
    (
        "if foo > 1",
        "foo",
        "'foo' follows without an operator",
        "an operator, 'and' or a comma is missing before it",
    ),
    ("foo ? 1 : 2", "?", "'?' has no place in PromQL", ""),
    (
        "foo > 90%",
        "%",
        "'%' has nothing on its right",
        "a metric, a number or a function is missing",
    ),
    (
        "foo > 90% of bar",
        "bar",
        "'bar' follows without an operator",
        "an operator, 'and' or a comma is missing before it",
    ),
    ("foo <> 1", "<>", "PromQL has no '<>'", "use '!='"),
    ("foo => 1", "=>", "PromQL has no '=>'", "use '>='"),
    ("sum(foo) / sum(bar", "(", "'(' is not closed", "close it with ')'"),
    ('foo{a="b"}}', "}", "'}' closes nothing", "remove it"),
    ("foo;", ";", "';' has no place in PromQL", ""),
    ('foo{a="b"}[5m][5m]', "[5m]", "a range can only stand behind a metric", ""),
    ('absent(foo{a="b"},)', ",", "a comma stands behind the last argument", "remove it"),
    (
        "count(foo > 0) by (x) by (y)",
        "by",
        "'by' has no place here",
        "only an aggregation such as sum takes 'by', and only one",
    ),
    ("foo == NaN()", "(", "'(' has no place here", ""),
    ('foo{a="b" and c="d"}', "and", "'and' has no place here", "',' or '}' is missing before it"),
    ('foo{a="b"; c="d"}', ";", "';' has no place in PromQL", ""),
    ("foo[5m] offset -", "-", "'-' has nothing on its right", "a duration is missing, such as 5m"),
    (
        "avg_over_time(sum(foo)[5m])",
        "[5m]",
        "a range can only stand behind a metric",
        "write a subquery, such as [5m:1m]",
    ),
    ("max by (a b) (foo)", "b", "'b' has no place here", "',' or ')' is missing before it"),
    ("sum without foo", "without", "'without' needs its labels in brackets", "write without (...)"),
    ("foo unless on bar", "on", "'on' needs its labels in brackets", "write on (...)"),
    (
        "foo * on(x) bar baz",
        "baz",
        "'baz' follows without an operator",
        "an operator, 'and' or a comma is missing before it",
    ),
    ("foo\f", "\f", "'\\x0c' has no place in PromQL", ""),
    ("  ", "  ", "the expression is empty", ""),
    ("# only a comment", "# only a comment", "the expression is empty", ""),
    (
        'foo{a="\\ud800"}',
        "\\ud800",
        "'\\ud800' is no escape sequence",
        "write \\\\ud800, or the string in `",
    ),
    ("1e400", "1e400", "'1e400' is too large a number", ""),
    ("foo[300y]", "300y", "'300y' is longer than Prometheus can count (292 years)", "such as 5m"),
    ("foo[0s]", "0s", "a duration must be longer than 0", "such as 5m"),
    ("foo @ 1e100", "1e100", "'1e100' is no time that Prometheus can count", ""),
    (
        "sum(foo) by (x) + sum(foo by (x)",
        "by",
        "'by' stands inside '('",
        "close '(' with ')' before it",
    ),
    (
        "+foo[5m]",
        "foo[5m]",
        "'+' computes with instant vectors and scalars, and this is a range vector",
        "aggregate it first, such as rate() or avg_over_time()",
    ),
    (
        'foo{a=~"(?x)b"}',
        '"(?x)b"',
        "Prometheus cannot compile this regular expression: RE2 has no '(?x'",
        "",
    ),
    (
        'foo{a=~"x{1001}"}',
        '"x{1001}"',
        "Prometheus cannot compile this regular expression: the repeat count '{1001}' is above 1000",
        "",
    ),
    (
        'x{__name__="y"}',
        '__name__="y"',
        "the metric's name is set twice: 'x' stands before the braces",
        "keep one of them",
    ),
    ("foo === bar", "===", "PromQL has no '==='", "use '=='"),
    (
        "rate by (x) (foo[5m])",
        "by",
        "'by' has no place here",
        "only an aggregation such as sum takes 'by', and only one",
    ),
    (
        "a * on (x) group_left (b + c)",
        "+",
        "'+' has no place here",
        "the first brackets hold labels: write group_left () (...)",
    ),
    (
        'foo{a=~"x{2,1}"}',
        '"x{2,1}"',
        "Prometheus cannot compile this regular expression: the repeat count '{2,1}' falls",
        "",
    ),
    (
        'foo{a=~"b.\\xff"}',
        '"b.\\xff"',
        "Prometheus cannot compile this regular expression: it is not UTF-8",
        "",
    ),
    (
        "foo{a='\ufffd'}",
        "'\ufffd'",
        "this string has U+FFFD in it, which stands where a character was lost",
        "write \\ufffd in quotes, if it is meant",
    ),
    ("rate(foo[ # five\n5m])", "[ # five\n", "a comment stands behind '['", "move it"),
    ("sum by (without) (foo)", "without", "'without' is no label name", ""),
]
UNSUPPORTED = [
    ('foo{"b"}', '"b"', "a name in quotes needs Prometheus 2.53, and 2.42 is declared", "write b"),
    (
        "foo > 5m",
        "5m",
        "'5m' is a duration where Prometheus before 3.0 wants a number",
        "write 300",
    ),
    (
        "foo[300]",
        "300",
        "'300' is a number where Prometheus before 3.0 wants a duration",
        "write 300s",
    ),
    (
        "histogram_avg(foo)",
        "histogram_avg",
        "'histogram_avg' needs Prometheus 2.51, and the fleet declares 2.42",
        "prometheusVersion: '2.51'",
    ),
    ("limitk(2, foo)", "limitk", "'limitk' is experimental: Prometheus refuses it by default", ""),
    (
        "limitk by (a) (2, foo)",
        "limitk",
        "'limitk' is experimental: Prometheus refuses it by default",
        "",
    ),
    (
        "first_over_time(foo[5m])",
        "first_over_time",
        "'first_over_time' is in no Prometheus up to 3.5",
        "",
    ),
    ("a + fill(0) b", "fill", "'fill' is in no Prometheus up to 3.5", ""),
    (
        'max by ("a") (foo)',
        '"a"',
        "a name in quotes needs Prometheus 3.0, and 2.42 is declared",
        "write a",
    ),
    (
        "foo[5m+1m]",
        "+",
        "arithmetic on durations is experimental: Prometheus refuses it by default",
        "write the result",
    ),
    (
        'foo{"a"="b", "c"}',
        '"a"',
        "a name in quotes needs Prometheus 2.53, and 2.42 is declared",
        "write a",
    ),
]


def refused(text: str, version: tuple[int, int] = (2, 42)) -> promql.Refused:
    found = promql.parse(text, version)
    assert isinstance(found, promql.Refused)
    return found


@pytest.mark.parametrize(
    ("text", "place", "message", "hint"), SYNTAX, ids=[text for text, *_ in SYNTAX]
)
def test_syntax(text: str, place: str, message: str, hint: str) -> None:
    found = refused(text)
    assert (found.code, text[found.start : found.end]) == ("promql/syntax", place)
    assert (found.message, found.hint) == (message, hint)


@pytest.mark.parametrize(
    ("text", "place", "message", "hint"), UNSUPPORTED, ids=[text for text, *_ in UNSUPPORTED]
)
def test_unsupported_syntax(text: str, place: str, message: str, hint: str) -> None:
    found = refused(text)
    assert (found.code, text[found.start : found.end]) == ("promql/unsupported-syntax", place)
    assert (found.message, found.hint) == (message, hint)


def test_the_second_of_two_equal_words_is_pointed_at() -> None:
    found = refused("foo + foo foo")
    assert (found.start, found.end) == (10, 13)


def test_a_function_that_was_removed() -> None:
    found = refused("holt_winters(foo[5m], 0.1, 0.1)", (3, 5))
    assert (found.code, found.message, found.start, found.end) == (
        "promql/unsupported-syntax",
        "Prometheus 3.5 no longer has 'holt_winters'",
        0,
        12,
    )


IN_3 = [
    ("foo > 0x1e", "0x1e", "Prometheus takes the 'e' in '0x1e' for an exponent", "write 30"),
    ("foo > 0x1ee", "0x1ee", "Prometheus takes the 'e' in '0x1ee' for an exponent", "write 494"),
    ('sum by ("") (foo)', '""', '"" is no label name', ""),
    (r'sum by ("\xff") (foo)', r'"\xff"', r'"\xff" is no label name', ""),
    (
        '{""}',
        '{""}',
        "this selects every series: one matcher must refuse an empty value",
        "name the metric before the braces",
    ),
]


@pytest.mark.parametrize(
    ("text", "place", "message", "hint"), IN_3, ids=[text for text, *_ in IN_3]
)
def test_syntax_of_prometheus_3(text: str, place: str, message: str, hint: str) -> None:
    found = refused(text, (3, 5))
    assert (found.code, text[found.start : found.end]) == ("promql/syntax", place)
    assert (found.message, found.hint) == (message, hint)


def test_a_name_that_the_parser_reserves() -> None:
    found = refused("sum by (smoothed) (foo)")
    assert (found.code, found.start, found.end) == ("promql/unsupported-syntax", 8, 16)


@pytest.mark.parametrize("text", ["foo[5m]", "foo[1h:5m]", '"text"'])
def test_a_range_or_a_text_is_no_result(text: str) -> None:
    found = refused(text)
    assert found.message.endswith("is no result")
    assert (found.start, found.end) == (0, len(text))
