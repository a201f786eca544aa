"""PromQL's functions and aggregations by the Prometheus version that has them.

From Prometheus' own parser (promql/parser/functions.go) of 2.42, 2.53 and 3.5. The parser that we use knows functions
of later versions and does not know those that 3.0 removed.
"""

from __future__ import annotations

AGGREGATIONS = frozenset(
    "sum avg count min max group stddev stdvar topk bottomk count_values quantile".split()
)
EXPERIMENTAL_AGGREGATIONS = frozenset({"limitk", "limit_ratio"})

FUNCTIONS = frozenset(
    "abs absent absent_over_time acos acosh asin asinh atan atanh avg_over_time ceil changes clamp clamp_max clamp_min "
    "cos cosh count_over_time day_of_month day_of_week day_of_year days_in_month deg delta deriv exp floor "
    "histogram_count histogram_fraction histogram_quantile histogram_sum hour idelta increase irate label_join "
    "label_replace last_over_time ln log10 log2 max_over_time min_over_time minute month pi predict_linear "
    "present_over_time quantile_over_time rad rate resets round scalar sgn sin sinh sort sort_desc sqrt "
    "stddev_over_time stdvar_over_time sum_over_time tan tanh time timestamp vector year".split()
)
# First version that has it.
SINCE = {"histogram_avg": (2, 53), "histogram_stddev": (2, 53), "histogram_stdvar": (2, 53)}
# First version that lacks it.
REMOVED = {"holt_winters": (3, 0)}
# Behind --enable-feature=promql-experimental-functions in every version that has it.
EXPERIMENTAL = frozenset(
    "info mad_over_time sort_by_label sort_by_label_desc double_exponential_smoothing ts_of_max_over_time "
    "ts_of_min_over_time ts_of_last_over_time ts_of_first_over_time first_over_time".split()
)
# Known to the parser, in none of the versions that we test against (up to 3.5).
NEWER = frozenset(
    "histogram_quantiles max_of min_of start end range step start_timestamp fill fill_left fill_right".split()
)

KEYWORDS = frozenset(
    "and or unless by without on ignoring group_left group_right offset bool atan2 inf nan".split()
)


def known() -> frozenset[str]:
    """Every name that may stand before a bracket."""
    return FUNCTIONS | AGGREGATIONS | SINCE.keys() | REMOVED.keys() | EXPERIMENTAL
