"""PromQL's functions and aggregations by the Prometheus version that has them.

From Prometheus' own parser (promql/parser/functions.go) of 2.42, 2.53 and 3.5. The parser that we use knows functions
of later versions and does not know those that 3.0 removed.
"""

from __future__ import annotations

from typing import NamedTuple

VECTOR, SCALAR, STRING, MATRIX = "vector", "scalar", "string", "matrix"
_TYPES = {"v": VECTOR, "s": SCALAR, "t": STRING, "m": MATRIX}

Bounds = tuple[float, float]
_INF = float("inf")
_POSITIVE = (0.0, _INF)
_ANY = (-_INF, _INF)


def names(text: str) -> frozenset[str]:
    """The words of a table that is written as a text."""
    return frozenset(text.split())


class Function(NamedTuple):
    """What a function takes and gives.

    It takes between `least` and `most` arguments (None: any number), the last type repeating. `wants` is the kind of
    series that it is meant for. `kind`, `unit`, `values` and `labels` of the result are those of its series (`same`) or what
    they say; the words are read in `shapes.py`, and bounds stand for themselves.
    """

    arguments: tuple[str, ...]
    least: int
    most: int | None
    result: str
    wants: str
    kind: str
    unit: str
    values: str | Bounds
    labels: str


def _row(
    types: str,
    wants: str = "",
    kind: str = "same",
    unit: str = "same",
    values: str | Bounds = "same",
    labels: str = "same",
    result: str = VECTOR,
) -> Function:
    """`vs` takes both, `vs?` leaves the last out at will, `vt*` takes any number of the last."""
    letters = types.rstrip("?*")
    arguments = tuple(_TYPES[letter] for letter in letters)
    least = len(letters) - (letters != types)
    most = None if types.endswith("*") else len(letters)
    return Function(arguments, least, most, result, wants, kind, unit, values, labels)


def _math(values: str | Bounds, unit: str = "unknown") -> Function:
    return _row("v", "", "gauge", unit, values)


def _calendar(low: float, high: float) -> Function:
    return _row("v?", "", "gauge", "unknown", (low, high))


_histogram = _row("v", "histogram", "gauge", "unknown", _ANY)

FUNCTIONS: dict[str, Function] = {
    # Of one instant. The sign, the whole part and the bounds leave the unit as it is.
    "abs": _math("abs", "same"),
    "ceil": _row("v", values="ceil"),
    "floor": _row("v", values="floor"),
    "round": _row("vs?", values="round"),
    "clamp": _row("vss", values="clamp"),
    "clamp_max": _row("vs", values="clamp_max"),
    "clamp_min": _row("vs", values="clamp_min"),
    "sgn": _math((-1, 1)),
    "sqrt": _math("sqrt"),
    "exp": _math("exp"),
    "ln": _math("log"),
    "log2": _math("log"),
    "log10": _math("log"),
    "acos": _math("arc"),
    "acosh": _math("arc"),
    "asin": _math("arc"),
    "asinh": _math(_ANY),
    "atan": _math((-1.5707963267948968, 1.5707963267948968)),
    "atanh": _math("arc"),
    "cos": _math("wave"),
    "cosh": _math((1, _INF)),
    "sin": _math("wave"),
    "sinh": _math(_ANY),
    "tan": _math("arc"),
    "tanh": _math((-1, 1)),
    "deg": _math(_ANY),
    "rad": _math(_ANY),
    "sort": _row("v"),
    "sort_desc": _row("v"),
    "timestamp": _row("v", "", "gauge", "unix", _POSITIVE),
    "absent": _row("v", "", "boolean", "none", (1, 1), "absent"),
    "scalar": _row("v", values="or-nan", result=SCALAR),
    "vector": _row("s", labels="none"),
    "label_replace": _row("vtttt", labels="replace"),
    "label_join": _row("vttt*", labels="join"),
    # Of a time; without an argument of the time of evaluation.
    "day_of_month": _calendar(1, 31),
    "day_of_week": _calendar(0, 6),
    "day_of_year": _calendar(1, 366),
    "days_in_month": _calendar(28, 31),
    "hour": _calendar(0, 23),
    "minute": _calendar(0, 59),
    "month": _calendar(1, 12),
    "year": _calendar(-_INF, _INF),
    # Of a range of samples.
    "absent_over_time": _row("m", "", "boolean", "none", (1, 1), "absent"),
    "avg_over_time": _row("m", values="mean"),
    "min_over_time": _row("m"),
    "max_over_time": _row("m"),
    "last_over_time": _row("m"),
    "sum_over_time": _row("m", "gauge", "gauge", "same", "sum"),
    "count_over_time": _row("m", "", "gauge", "count", (1, _INF)),
    "present_over_time": _row("m", "", "boolean", "none", (1, 1)),
    "stddev_over_time": _row("m", "gauge", "gauge", "same", "spread"),
    "stdvar_over_time": _row("m", "gauge", "gauge", "square", "spread"),
    "quantile_over_time": _row("sm", values="quantile"),
    "changes": _row("m", "", "gauge", "count", _POSITIVE),
    "resets": _row("m", "counter", "gauge", "count", _POSITIVE),
    "rate": _row("m", "counter", "rated", "per-second", "rated"),
    "irate": _row("m", "counter", "rated", "per-second", "rated"),
    "increase": _row("m", "counter", "rated", "same", "rated"),
    "delta": _row("m", "gauge", "gauge", "same", _ANY),
    "idelta": _row("m", "gauge", "gauge", "same", _ANY),
    "deriv": _row("m", "gauge", "gauge", "per-second", _ANY),
    "predict_linear": _row("ms", "gauge", "gauge", "same", _ANY),
    "holt_winters": _row("mss", "gauge", "gauge", "same", _ANY),
    # Of histograms, classic or native.
    "histogram_quantile": _row("sv", "bucket", "gauge", "unknown", _ANY, "without le"),
    "histogram_fraction": _row("ssv", "bucket", "gauge", "ratio", _ANY, "without le"),
    "histogram_avg": _histogram,
    "histogram_count": _histogram,
    "histogram_stddev": _histogram,
    "histogram_stdvar": _histogram,
    "histogram_sum": _histogram,
    # Of nothing.
    "time": Function((), 0, 0, SCALAR, "", "gauge", "unix", _POSITIVE, "none"),
    "pi": Function((), 0, 0, SCALAR, "", "gauge", "none", (3, 4), "none"),
}
# Aggregations and the type of the parameter that stands before the vector.
AGGREGATIONS = dict.fromkeys(names("sum avg count min max group stddev stdvar")) | {
    "topk": SCALAR,
    "bottomk": SCALAR,
    "quantile": SCALAR,
    "count_values": STRING,
}
# First version that has it, from the changelog.
SINCE = {"histogram_avg": (2, 51), "histogram_stddev": (2, 47), "histogram_stdvar": (2, 47)}
# First version that lacks it.
REMOVED = {"holt_winters": (3, 0)}
# Behind --enable-feature=promql-experimental-functions in every version that has it.
EXPERIMENTAL = names(
    "info mad_over_time sort_by_label sort_by_label_desc double_exponential_smoothing ts_of_max_over_time "
    "ts_of_min_over_time ts_of_last_over_time limitk limit_ratio"
)
# Of later versions than those that we test against (up to 3.5).
NEWER = names(
    "first_over_time ts_of_first_over_time histogram_quantiles max_of min_of start end range step start_timestamp "
    "fill fill_left fill_right integral"
)

KEYWORDS = names(
    "and or unless by without on ignoring group_left group_right offset bool atan2 inf nan"
)


def known() -> frozenset[str]:
    """Every name that may stand before a bracket."""
    return frozenset(FUNCTIONS) | frozenset(AGGREGATIONS)
