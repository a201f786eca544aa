"""promtool unit test files: read with their places, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpuobs import promql
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.foreign import earliest, exactness, group_order, promtool_fields
from gpuobs.foreign.promtool_fields import Version, seconds
from gpuobs.foreign.promtool_model import AlertTest, Case, ExprTest, Series, TestFile
from gpuobs.ir import AlertingRule, RuleFile
from gpuobs.lower import samples
from gpuobs.nearest import did_you_mean
from gpuobs.spec.document import place
from gpuobs.spec.node import Node

_DEFAULT_INTERVAL = 60.0


def read(node: Node, version: Version) -> tuple[TestFile, list[Diagnostic]]:
    """The tests of a file that promtool of this version runs, as far as they can be read."""
    problems = list(promtool_fields.problems(node, version))
    interval = seconds(node.get("evaluation_interval")) or _DEFAULT_INTERVAL
    cases = [_case(case, interval, version, problems) for case in _items(node, "tests")]
    tests = TestFile(
        written=node,
        rule_files=_texts(node, "rule_files"),
        order=_texts(node, "group_eval_order"),
        interval=interval,
        cases=tuple(cases),
    )
    return tests, problems


def problems(
    tests: TestFile, rules: Mapping[str, Sequence[RuleFile] | None]
) -> Iterator[Diagnostic]:
    """What is wrong with tests, given the rule files that each entry of `rule_files` matches.

    An entry that matches nothing has no files; one whose files cannot be read as rules has None. With either, nothing is
    concluded from what is not there.
    """
    yield from _missing_files(tests, rules)
    yield from exactness.problems(tests)
    matched = [rules.get(name) for name in dict.fromkeys(tests.texts("rule_files"))]
    listed = tests.written.get("rule_files")
    written = (listed.value if listed is not None else None) or []
    whole = isinstance(written, list) and len(written) == len(tests.rule_files)
    if not whole or not all(matched):
        return
    found = [file for files in matched for file in files or ()]
    yield from _unknown_alerts(tests, found)
    yield from group_order.problems(tests, found)
    yield from earliest.problems(tests, found)


def _missing_files(
    tests: TestFile, rules: Mapping[str, Sequence[RuleFile] | None]
) -> Iterator[Diagnostic]:
    for node in tests.rule_files:
        matched = rules.get(node.value)
        if matched is not None and not matched:
            message = f"no file is '{node.value}', and promtool goes on without its rules"
            hint = "paths begin at the folder of the test file"
            yield error(node.span, "test/missing-rule-file", message, hint)


def _unknown_alerts(tests: TestFile, files: Sequence[RuleFile]) -> Iterator[Diagnostic]:
    known = {rule.alert for file in files for rule in file.rules if isinstance(rule, AlertingRule)}
    for case in tests.cases:
        for test in case.alerts:
            if test.alertname not in known:
                message = f"no alert '{test.alertname}' in the rule files of this test"
                if not test.fires:
                    message += ", so this passes whatever happens"
                hint = did_you_mean(test.alertname, known)
                yield error(test.written.at("alertname"), "test/unknown-alert", message, hint)


def _items(node: Node, key: str) -> list[Node]:
    """The mappings of a list."""
    found = node.get(key)
    items = found.value if found is not None and isinstance(found.value, list) else []
    return [item for item in items if isinstance(item.value, dict)]


def _texts(node: Node, key: str) -> tuple[Node, ...]:
    found = node.get(key)
    items = found.value if found is not None and isinstance(found.value, list) else []
    return tuple(item for item in items if isinstance(item.value, str))


def _case(node: Node, interval: float, version: Version, problems: list[Diagnostic]) -> Case:
    alerts = [_alert_test(item, problems) for item in _items(node, "alert_rule_test")]
    return Case(
        written=node,
        interval=seconds(node.get("interval")) or interval,
        series=tuple(_series(item, version, problems) for item in _items(node, "input_series")),
        alerts=tuple(test for test in alerts if test is not None),
        exprs=tuple(
            _expr_test(item, version, problems) for item in _items(node, "promql_expr_test")
        ),
    )


def _series(node: Node, version: Version, problems: list[Diagnostic]) -> Series:
    written, values = node.get("series"), node.get("values")
    name, labels = None, None
    if written is None or written.value in (None, ""):
        problems.append(
            error(node.span, "test/bad-series", "a series without a name", "add 'series: ...'")
        )
    elif isinstance(written.value, str):
        name, labels = _metric(written, version, problems)
    if values is not None and isinstance(values.value, list | dict):
        return Series(name=name, labels=labels, samples=None)
    text = "" if values is None or values.value is None else str(values.value)
    words = list(samples.read(text))
    for word in words:
        if isinstance(word, tuple):
            assert values is not None
            message = f"'{text[slice(*word)]}' is no sample in promtool's notation"
            problems.append(error(place(values, *word), "test/bad-values", message, samples.FORMS))
    good = tuple(word for word in words if not isinstance(word, tuple))
    return Series(name=name, labels=labels, samples=good if len(good) == len(words) else None)


def _metric(
    node: Node, version: Version, problems: list[Diagnostic]
) -> tuple[str | None, Mapping[str, str] | None]:
    """Name and labels of a series in promtool's notation; a name is not needed where labels are expected of a result."""
    text = node.value
    parsed, offset = promql.parse(text, version), 0
    if isinstance(parsed, promql.Refused) and text.startswith("{"):
        # Without a name, and with empty values, PromQL refuses what is a good set of labels.
        other = promql.parse(f"x{text}", version)
        parsed, offset = (other, 1) if not isinstance(other, promql.Refused) else (parsed, 0)
    if isinstance(parsed, promql.Refused):
        span = place(node, parsed.start, parsed.end)
        problems.append(error(span, "test/bad-series", f"no series: {parsed.message}", parsed.hint))
        return None, None
    found = promql.selectors(parsed)
    if len(found) != 1 or found[0].end - found[0].start != len(parsed.text.strip()):
        message = f"'{text}' is no series"
        problems.append(error(node.span, "test/bad-series", message, _SERIES))
        return None, None
    for matcher in found[0].matchers:
        if matcher.op != "=":
            span = place(node, matcher.label_start - offset, matcher.value_end - offset)
            message = f"a series has label values, not '{matcher.op}'"
            hint = f'write {matcher.label}="{matcher.value}"'
            problems.append(error(span, "test/bad-series", message, hint))
            return None, None
    labels = {matcher.label: matcher.value for matcher in found[0].matchers}
    name = labels.pop("__name__", "" if offset else found[0].name)
    return name, labels


_SERIES = """such as 'DCGM_FI_DEV_GPU_TEMP{Hostname="n1", gpu="3"}'"""


def _alert_test(node: Node, problems: list[Diagnostic]) -> AlertTest | None:
    name = node.get("alertname")
    if name is None or name.value in (None, ""):
        message = "promtool wants the name of an alert here"
        problems.append(error(node.span, "yaml/missing-key", message, "add 'alertname: ...'"))
        return None
    at, expected = seconds(node.get("eval_time")), node.get("exp_alerts")
    if not isinstance(name.value, str) or at is None:
        return None
    fires = expected is not None and bool(expected.value)
    return AlertTest(written=node, alertname=name.value, at=at, fires=fires)


def _expr_test(node: Node, version: Version, problems: list[Diagnostic]) -> ExprTest:
    expr = node.get("expr")
    parsed: promql.Parsed | promql.Refused | None = None
    if expr is not None and isinstance(expr.value, str):
        parsed = promql.parse(expr.value, version)
        if isinstance(parsed, promql.Refused):
            span = place(expr, parsed.start, parsed.end)
            problems.append(error(span, parsed.code, parsed.message, parsed.hint))
    values = []
    for sample in _items(node, "exp_samples"):
        labels, value = sample.get("labels"), sample.get("value")
        if labels is not None and isinstance(labels.value, str) and labels.value.strip("{} \n"):
            _metric(labels, version, problems)
        if value is not None and not sample.get("histogram"):
            values.append(value)
    return ExprTest(
        written=node,
        expr=None if isinstance(parsed, promql.Refused) else parsed,
        at=seconds(node.get("eval_time")) or 0,
        values=tuple(values),
    )
