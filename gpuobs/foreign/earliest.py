"""Alerts that a test expects before they can fire.

What is computed is a lower bound: the first moment at which an expression can have a result, given when each series of
the test has its first samples. Where nothing is known the bound is the start of the test.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from gpuobs import promql
from gpuobs.diagnostics import Diagnostic, warning
from gpuobs.foreign.promtool_model import AlertTest, Case, Series, TestFile
from gpuobs.ir import AlertingRule, RecordingRule, RuleFile
from gpuobs.promql.nodes import Aggregate, Binary, Call, Node, Select, Window, bare, children
from gpuobs.spec.document import place
from gpuobs.spec.scalars import Duration, duration

CODE = "test/too-early"
_NEWEST = (99, 0)
_TWO_SAMPLES = frozenset(
    "rate irate increase delta idelta deriv predict_linear double_exponential_smoothing holt_winters".split()
)
_ABSENCE = frozenset({"absent", "absent_over_time"})
_START = 0.0
# Deeper than anyone writes: beyond it nothing is concluded, and Python's stack is never used up.
_DEEPEST = 150


def problems(tests: TestFile, files: Sequence[RuleFile]) -> Iterator[Diagnostic]:
    """Expected alerts that cannot fire yet, and windows in which an expected alert never finds two samples."""
    rules = [rule for file in files for rule in file.rules]
    recorded = [rule for rule in rules if isinstance(rule, RecordingRule)]
    for case in tests.cases:
        for test in case.alerts:
            alerts = [r for r in rules if isinstance(r, AlertingRule) and r.alert == test.alertname]
            if test.fires and alerts:
                older, newer = (
                    _Clock(case, tests.interval, recorded, left_open=left_open)
                    for left_open in (False, True)
                )
                yield from _expected(test, alerts, older, newer)


def _expected(
    test: AlertTest, alerts: list[AlertingRule], older: _Clock, newer: _Clock
) -> Iterator[Diagnostic]:
    first = min(older.fires(rule) for rule in alerts)
    last_evaluation = test.at // older.interval * older.interval
    if first > last_evaluation:
        span = test.written.at("eval_time")
        message = f"'{test.alertname}' cannot fire at {duration(test.at)}: "
        if first == math.inf:
            message += "the series of this test never give its expression a result"
            yield warning(span, CODE, message, "add the series that it reads to 'input_series'")
        else:
            message += f"the first evaluation at which it can is at {duration(first)}"
            yield warning(span, CODE, message, f"eval_time: {duration(first)}, or later")
    elif min(newer.fires(rule) for rule in alerts) == math.inf:
        yield from (_narrow(rule, window) for rule, window in newer.narrow)


def _narrow(rule: AlertingRule | RecordingRule, window: Window) -> Diagnostic:
    written = rule.part("expr")
    span = rule.origin.span
    if written is not None:
        span = place(written, window.start - 1, window.end + 1)
    apart = duration(window.seconds)
    message = (
        f"samples of this test are {apart} apart, and from Prometheus 3.0 on a window of {apart} holds "
        "only one of them, so that an alert which the test expects never fires"
    )
    hint = f"a window of {duration(2 * window.seconds)} or longer, or samples that are closer"
    return warning(span, CODE, message, hint)


class _Clock:
    """When the expressions of a test can first have a result, in seconds.

    With `left_open` windows are those of Prometheus 3.0 and later; those that then hold one sample are kept in `narrow`.
    """

    def __init__(
        self, case: Case, interval: float, rules: Sequence[RecordingRule], *, left_open: bool
    ) -> None:
        self.case = case
        self.interval = interval
        self.rules = rules
        self.left_open = left_open
        self.narrow: list[tuple[AlertingRule | RecordingRule, Window]] = []
        self._within: list[AlertingRule | RecordingRule] = []
        self._known: dict[int, float] = {}
        self._depth = 0

    def fires(self, rule: AlertingRule) -> float:
        """The first evaluation at which an alert can fire."""
        active = self._evaluated(rule)
        return self._at_evaluation(active + (Duration(rule.for_).seconds if rule.for_ else 0))

    def _evaluated(self, rule: AlertingRule | RecordingRule) -> float:
        """The first evaluation at which a rule can have a result; nothing is known of one that reads itself."""
        parsed = promql.parse(rule.expr, _NEWEST)
        if isinstance(parsed, promql.Refused):
            return _START
        if id(rule) not in self._known:
            self._known[id(rule)] = _START
            self._within.append(rule)
            self._known[id(rule)] = self._at_evaluation(self._result(parsed.tree))
            self._within.pop()
        return self._known[id(rule)]

    def _at_evaluation(self, seconds: float) -> float:
        if seconds == math.inf:
            return seconds
        return math.ceil(seconds / self.interval) * self.interval

    def _result(self, node: Node, samples: int = 1) -> float:
        if self._depth > _DEEPEST:
            return _START
        self._depth += 1
        result = self._of(bare(node), samples)
        self._depth -= 1
        return result

    def _of(self, node: Node, samples: int) -> float:
        if isinstance(node, Select):
            return self._selected(node, samples)
        if isinstance(node, Call):
            return self._called(node)
        if isinstance(node, Aggregate):
            return self._result(node.expr)
        if isinstance(node, Binary):
            return self._combined(node)
        return max((self._result(child) for child in children(node)), default=_START)

    def _called(self, node: Call) -> float:
        if node.name in _ABSENCE or node.name in ("scalar", "vector"):
            return _START
        samples = 2 if node.name in _TWO_SAMPLES else 1
        return max((self._result(argument, samples) for argument in node.args), default=_START)

    def _combined(self, node: Binary) -> float:
        left, right = self._result(node.lhs), self._result(node.rhs)
        if node.name == "unless":
            return left
        return min(left, right) if node.name == "or" else max(left, right)

    def _selected(self, node: Select, samples: int) -> float:
        """When a selector first finds as many samples of one series."""
        selector = node.selector
        if node.at or (node.offset or 0) < 0 or selector.name in ("", "ALERTS", "ALERTS_FOR_STATE"):
            return _START
        moments = [
            self._sampled(series, samples, node)
            for series in self.case.series
            if _may_match(series, selector)
        ]
        for rule in self.rules:
            if rule.record == selector.name:
                first = self._evaluated(rule) + (samples - 1) * self.interval
                moments.append(self._in_window(first, samples, node, self.interval))
        return min(moments, default=math.inf) + (node.offset or 0)

    def _sampled(self, series: Series, samples: int, node: Select) -> float:
        if series.samples is None:
            return _START
        passed, found = 0, 0
        for word in series.samples:
            if not word.missing and found + word.count >= samples:
                first = (passed + samples - found - 1) * self.case.interval
                return self._in_window(first, samples, node, self.case.interval)
            found += 0 if word.missing else word.count
            passed += word.count
        return math.inf

    def _in_window(self, first: float, samples: int, node: Select, apart: float) -> float:
        """The moment itself, where a window can hold two samples that are so far apart."""
        window = node.window
        if samples == 1 or window is None or window.seconds > apart:
            return first
        if window.seconds < apart or not self.left_open:
            return first if window.seconds == apart else math.inf
        self.narrow.append((self._within[-1], window))
        return math.inf


def _may_match(series: Series, selector: promql.Selector) -> bool:
    if series.name is None or series.labels is None:
        return True
    return series.name == selector.name and all(
        matcher.op != "=" or series.labels.get(matcher.label, "") == matcher.value
        for matcher in selector.matchers
    )
