"""Expected numbers that promtool compares bit by bit, where the expression has rounded on its way to them.

A decimal such as 0.4 has no exact binary form. One division of whole numbers still gives the nearest number to it, which
is the one that `0.4` stands for. Two operations that round, or one on what was not exact before, mostly give a neighbour.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from gpuobs.diagnostics import Diagnostic, warning
from gpuobs.foreign.promtool_model import Case, Series, TestFile
from gpuobs.promql.nodes import (
    Aggregate,
    Binary,
    Call,
    Node,
    Number,
    Select,
    bare,
    children,
    constant,
)
from gpuobs.spec.node import Node as Written

CODE = "test/exact-float"
# A double has at least 15 decimal digits: whoever wrote as many took them from promtool.
_ALL_DIGITS = 15
_WHOLE = frozenset(
    "count group count_values absent absent_over_time ceil changes count_over_time floor present_over_time resets round "
    "scalar sgn time timestamp hour minute month year day_of_month day_of_week day_of_year days_in_month vector".split()
)
_ADDING = frozenset({"sum", "sum_over_time"})
_RATES = frozenset({"rate", "irate", "increase", "delta", "idelta"})
_ROUNDING = frozenset(
    "avg stddev stdvar quantile avg_over_time stddev_over_time stdvar_over_time quantile_over_time deriv "
    "predict_linear histogram_quantile histogram_avg histogram_fraction histogram_stddev histogram_stdvar sqrt exp ln "
    "log2 log10 double_exponential_smoothing holt_winters deg rad".split()
)
_COMPARISONS = frozenset({"==", "!=", ">", "<", ">=", "<="})


@dataclass(frozen=True, slots=True)
class _Values:
    """How the values of a part come about: operations that rounded, and whether they are still exact.

    `given` says whether all samples are exact, `steady` whether they are all the same, `several` whether they may be of
    more than one series.
    """

    roundings: int = 0
    exact: bool = True
    given: bool = True
    steady: bool = False
    several: bool = True

    def rounded(self, times: int) -> _Values:
        return replace(self, roundings=self.roundings + times, exact=False) if times else self

    @property
    def likely_off(self) -> bool:
        return self.roundings > 1 or (self.roundings == 1 and not self.given)


def problems(tests: TestFile) -> Iterator[Diagnostic]:
    """Expected values that are no binary fractions, of expressions that round."""
    for case in tests.cases:
        for test in case.exprs:
            inexact = [node for node in test.values if _inexact(node.value)]
            if inexact and test.expr is not None and _values(test.expr.tree, case).likely_off:
                yield from (_problem(node) for node in inexact)


def _problem(node: Written) -> Diagnostic:
    message = f"promtool compares every bit, and what was rounded on the way is rarely exactly {node.value}"
    hint = "test 'round(..., 0.001)', or a threshold with 'bool'; or give samples that are exact in binary, such as 0.5"
    return warning(node.span, CODE, message, hint)


def _inexact(value: object) -> bool:
    """Whether a number, as it is written, lies between two that a computer has."""
    if not isinstance(value, float) or value != value or abs(value) == float("inf"):
        return False
    written = repr(value)
    digits = written.partition("e")[0].replace(".", "").lstrip("-0")
    return Fraction(written) != Fraction(value) and len(digits) < _ALL_DIGITS


def _values(node: Node, case: Case) -> _Values:
    node = bare(node)
    if isinstance(node, Number):
        return _Values(exact=not _inexact(node.value), given=not _inexact(node.value), steady=True)
    if isinstance(node, Select):
        return _selected(case.named(node.selector.name))
    if isinstance(node, Binary):
        return _combined(node, case)
    if isinstance(node, Aggregate | Call):
        return _called(node, case)
    below = children(node)
    return _values(below[0], case) if below else _Values()


def _selected(found: list[Series]) -> _Values:
    """Of series that the test gives; what rules record is taken for exact."""
    words = [word for series in found for word in series.samples or () if word.first is not None]
    texts = {text for word in words for text in (word.first, word.step) if text}
    exact = not any(_inexact(float(text)) for text in texts)
    steady = (
        bool(words)
        and len({word.first for word in words}) == 1
        and not any(word.step for word in words)
    )
    return _Values(exact=exact, given=exact, steady=steady, several=len(found) != 1)


def _called(node: Aggregate | Call, case: Case) -> _Values:
    if node.name in _WHOLE:
        return _Values()
    operand = (
        node.expr
        if isinstance(node, Aggregate)
        else next((arg for arg in node.args if not isinstance(bare(arg), Number)), None)
    )
    if operand is None:
        return _Values()
    values = _values(operand, case)
    if node.name in _RATES:
        return values.rounded(1)
    if node.name in _ADDING:
        alone = node.name == "sum" and not values.several
        return values.rounded(int(not values.exact and not alone))
    if node.name in _ROUNDING:
        return values.rounded(0 if values.steady and node.name.startswith("avg") else 2)
    return values


def _combined(node: Binary, case: Case) -> _Values:
    left, right = _values(node.lhs, case), _values(node.rhs, case)
    if node.name in _COMPARISONS:
        kept = right if constant(node.lhs) is not None else left
        return _Values() if node.bool else kept
    if node.name in ("and", "unless"):
        return left
    both = _Values(
        left.roundings + right.roundings,
        left.exact and right.exact,
        left.given and right.given,
        left.steady and right.steady,
        left.several or right.several,
    )
    if node.name == "or":
        return replace(both, roundings=max(left.roundings, right.roundings))
    if node.name in ("^", "atan2"):
        return both.rounded(2)
    shifted = node.name in ("/", "*") and _power_of_two(constant(node.rhs))
    return both.rounded(int(not shifted and (node.name == "/" or not both.exact)))


def _power_of_two(value: float | None) -> bool:
    """Whether multiplying and dividing by a number changes nothing but the exponent."""
    return value is not None and abs(math.frexp(value)[0]) == 0.5
