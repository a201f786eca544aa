"""Many names as one regular expression: it matches them all, and nothing else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuobs.lower.patterns import pattern

NAMES = st.from_regex(r"\A[a-c:_]{1,8}\Z")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], ""),
        (["up"], "up"),
        (["node:a:max1m", "node:b:max1m"], "node:(a:max1m|b:max1m)"),
        (["a_b", "a_b_c", "a_b_d"], "a_(b|b_(c|d))"),
        (["a_", "a_b"], "a_(|b)"),
        (["DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_GPU_UTIL"], "DCGM_FI_DEV_GPU_(TEMP|UTIL)"),
    ],
)
def test_what_begins_alike_stands_once(names: list[str], expected: str) -> None:
    assert pattern(names) == expected


@given(st.sets(NAMES), st.sets(NAMES))
def test_it_matches_these_names_and_no_others(names: set[str], others: set[str]) -> None:
    matcher = re.compile(f"^(?:{pattern(names)})$")
    assert {name for name in names | others if matcher.match(name)} == names
