"""PromQL's functions and aggregations by the Prometheus version that has them.

From Prometheus' own parser (promql/parser/functions.go) of 2.42, 2.53 and 3.5. The parser that we use knows functions
of later versions and does not know those that 3.0 removed.
"""

from __future__ import annotations

from typing import NamedTuple

VECTOR, SCALAR, STRING, MATRIX = "vector", "scalar", "string", "matrix"
_TYPES = {"v": VECTOR, "s": SCALAR, "t": STRING, "m": MATRIX}


def names(text: str) -> frozenset[str]:
    """The words of a table that is written as a text."""
    return frozenset(text.split())


class Signature(NamedTuple):
    """What a function takes: between `least` and `most` arguments (None: any number), the last type repeating."""

    arguments: tuple[str, ...]
    least: int
    most: int | None
    result: str = VECTOR


def _signature(types: str) -> Signature:
    """`vs` takes both, `vs?` leaves the last out at will, `vt*` takes any number of the last."""
    letters = types.rstrip("?*")
    arguments = tuple(_TYPES[letter] for letter in letters)
    least = len(letters) - (letters != types)
    return Signature(arguments, least, None if types.endswith("*") else len(letters))


_BY_SIGNATURE = {
    "v": "abs absent acos acosh asin asinh atan atanh ceil cos cosh deg exp floor histogram_avg histogram_count "
    "histogram_stddev histogram_stdvar histogram_sum ln log10 log2 rad sgn sin sinh sort sort_desc sqrt tan tanh "
    "timestamp",
    "m": "absent_over_time avg_over_time changes count_over_time delta deriv idelta increase irate last_over_time "
    "max_over_time min_over_time present_over_time rate resets stddev_over_time stdvar_over_time sum_over_time",
    "v?": "day_of_month day_of_week day_of_year days_in_month hour minute month year",
    "vs": "clamp_max clamp_min",
    "vs?": "round",
    "vss": "clamp",
    "sv": "histogram_quantile",
    "ssv": "histogram_fraction",
    "sm": "quantile_over_time",
    "ms": "predict_linear",
    "mss": "holt_winters",
    "vtttt": "label_replace",
    "vttt*": "label_join",
    "s": "vector",
}
FUNCTIONS = {
    name: _signature(types) for types, names in _BY_SIGNATURE.items() for name in names.split()
} | {
    "scalar": Signature((VECTOR,), 1, 1, SCALAR),
    "time": Signature((), 0, 0, SCALAR),
    "pi": Signature((), 0, 0, SCALAR),
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
