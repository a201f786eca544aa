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
# Any 15 decimal digits survive in a double; a result of arithmetic mostly has more.
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
_KEEPING = frozenset(
    "min max topk bottomk limitk min_over_time max_over_time last_over_time sort sort_desc label_replace label_join".split()
)
_COMPARISONS = frozenset({"==", "!=", ">", "<", ">=", "<="})


@dataclass(frozen=True, slots=True)
class _Values:
    """How the values of a part come about: operations that rounded, and whether they are still exact.

    `given` says whether all samples and literals are exact. `value` is what all of them are, computed as promtool does,
    where every sample is the same; `several` says whether they may be of more than one series.
    """

    roundings: int = 0
    exact: bool = True
    given: bool = True
    value: float | None = None
    several: bool = True

    def rounded(self, times: int) -> _Values:
        if not times:
            return self
        return replace(self, roundings=self.roundings + times, exact=False, value=None)

    def misses(self, expected: float) -> bool:
        """Whether what comes out is, or most likely is, a neighbour of the number."""
        if self.value is not None:
            return self.value != expected and math.isclose(self.value, expected, rel_tol=1e-9)
        if _inexact(expected):
            return self.roundings > 1 or (self.roundings == 1 and not self.given)
        return self.roundings > 1 and not self.given and expected != 0


def problems(tests: TestFile) -> Iterator[Diagnostic]:
    """Expected values that an expression misses because it rounds."""
    for case in tests.cases:
        for test in case.exprs:
            expected = [node for node in test.values if _short(node.value)]
            if expected and test.expr is not None:
                values = _values(test.expr.tree, case)
                yield from (_problem(node) for node in expected if values.misses(node.value))


def _problem(node: Written) -> Diagnostic:
    message = f"promtool compares every bit, and what is rounded on the way is seldom exactly {node.value}"
    hint = "test 'round(..., 0.001)', or a threshold with 'bool'; or give samples that are exact in binary, such as 0.5"
    return warning(node.span, CODE, message, hint)


def _short(value: object) -> bool:
    """Whether a value is a number that a person wrote: who gives all of its digits took them from promtool."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return False
    return len(repr(value).partition("e")[0].replace(".", "").lstrip("-0")) < _ALL_DIGITS


def _inexact(value: float) -> bool:
    """Whether a number, as it is written, lies between two that a computer has."""
    return math.isfinite(value) and Fraction(repr(value)) != Fraction(value)


def _values(node: Node, case: Case) -> _Values:
    node = bare(node)
    if isinstance(node, Number):
        exact = not _inexact(node.value)
        return _Values(exact=exact, given=exact, value=node.value)
    if isinstance(node, Select):
        return _selected(case.named(node.selector.name))
    if isinstance(node, Binary):
        return _combined(node, case)
    if isinstance(node, Aggregate | Call):
        return _called(node, case)
    below = children(node)
    return replace(_values(below[0], case), value=None) if below else _Values()


def _selected(found: list[Series]) -> _Values:
    """Of series that the test gives; what rules record is taken for exact."""
    words = [word for series in found for word in series.samples or () if word.first is not None]
    firsts, steps = {word.first or "" for word in words}, {word.step for word in words} - {""}
    exact = not any(_inexact(float(text)) for text in firsts | steps)
    value = float(min(firsts)) if len(firsts) == 1 and not steps else None
    return _Values(exact=exact, given=exact, value=value, several=len(found) != 1)


def _called(node: Aggregate | Call, case: Case) -> _Values:
    operands = (node.expr,) if isinstance(node, Aggregate) else node.args
    operand = next((each for each in operands if not isinstance(bare(each), Number)), None)
    if node.name in _WHOLE or operand is None:
        return _Values()
    values = _values(operand, case)
    if node.name in _RATES:
        return values.rounded(1)
    if node.name in _ADDING:
        alone = node.name == "sum" and not values.several
        return values if alone else replace(values.rounded(int(not values.exact)), value=None)
    if node.name in _ROUNDING:
        mean = values.value is not None and node.name.startswith("avg")
        return values if mean else values.rounded(2)
    return values if node.name in _KEEPING else replace(values, value=None)


def _combined(node: Binary, case: Case) -> _Values:
    left, right = _values(node.lhs, case), _values(node.rhs, case)
    if node.name in _COMPARISONS:
        return _Values() if node.bool else right if constant(node.lhs) is not None else left
    if node.name in ("and", "unless"):
        return left
    both = _Values(
        roundings=left.roundings + right.roundings,
        exact=left.exact and right.exact,
        given=left.given and right.given,
        several=left.several or right.several,
    )
    if node.name == "or":
        return replace(both, roundings=max(left.roundings, right.roundings))
    if node.name in ("^", "atan2"):
        return both.rounded(2)
    shifted = node.name in ("/", "*") and _power_of_two(constant(node.rhs))
    rounded = both.rounded(int(not shifted and (node.name == "/" or not both.exact)))
    return replace(rounded, value=_result(node.name, left.value, right.value))


def _result(operator: str, left: float | None, right: float | None) -> float | None:
    """The number that promtool computes: the same double arithmetic as Python's."""
    if left is None or right is None or operator not in _ARITHMETIC:
        return None
    try:
        return _ARITHMETIC[operator](left, right)
    except (ZeroDivisionError, OverflowError):
        return None


_ARITHMETIC = {
    "+": float.__add__,
    "-": float.__sub__,
    "*": float.__mul__,
    "/": float.__truediv__,
}


def _power_of_two(value: float | None) -> bool:
    """Whether multiplying and dividing by a number changes nothing but the exponent."""
    return value is not None and abs(math.frexp(value)[0]) == 0.5
