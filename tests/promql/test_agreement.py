"""We accept what Prometheus accepts at each version, and refuse what it refuses; promtool itself confirms the tables."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuobs import promql
from gpuobs.promql import re2
from gpuobs.verify.promtool import Promtool
from tests.promql import corpus
from tests.promql.agreement import cases, differences
from tests.promql.expressions import expressions as generated
from tests.promql.expressions import strategy
from tests.promql.garbage import broken, worst
from tests.promql.judge import complaints
from tests.promql.listed import LISTED, reason
from tests.promql.tables import VERSIONS, Verdict, Version, expressions, matcher, patterns
from tests.promql.test_mistakes import SYNTAX

INDEX = {version: index for index, version in enumerate(VERSIONS)}


def ours(text: str) -> str:
    """Our verdicts on an expression."""
    parsed = (promql.parse(text, version) for version in VERSIONS)
    return "".join("-" if isinstance(each, promql.Refused) else "+" for each in parsed)


@pytest.mark.parametrize("verdict", expressions(), ids=lambda verdict: verdict.text)
def test_expression(verdict: Verdict) -> None:
    assert ours(verdict.text) == verdict.ours


@pytest.mark.parametrize("verdict", patterns(), ids=lambda verdict: verdict.text)
def test_pattern(verdict: Verdict) -> None:
    assert ours(matcher(verdict.text)) == verdict.ours


@pytest.mark.parametrize("verdict", patterns(), ids=lambda verdict: verdict.text)
def test_pattern_that_takes_the_empty_text(verdict: Verdict) -> None:
    if verdict.ours.endswith("+"):
        assert re2.matches_empty(verdict.text) == (verdict.mark == "0")


@pytest.mark.promtool
def test_promtool_confirms_the_tables(each_promtool: Promtool) -> None:
    rows = [*expressions(), *(_as_expression(verdict) for verdict in patterns())]
    column = INDEX[each_promtool.number]
    refused = complaints(each_promtool, [row.text for row in rows])
    said = {row.text: "-" if number in refused else "+" for number, row in enumerate(rows)}
    assert said == {row.text: row.promtool[column] for row in rows}


def _as_expression(verdict: Verdict) -> Verdict:
    return Verdict(matcher(verdict.text), verdict.promtool, verdict.ours)


@pytest.mark.promtool
def test_generated_expressions(each_promtool: Promtool) -> None:
    assert differences(each_promtool, list(generated(seed=1, count=1500))) == []


@pytest.mark.promtool
def test_expressions_of_this_repository(each_promtool: Promtool) -> None:
    mistakes = [text for text, *_ in SYNTAX]
    assert differences(each_promtool, [*corpus.own(), *mistakes]) == []


@pytest.mark.promtool
def test_expressions_of_others(each_promtool: Promtool) -> None:
    texts = corpus.others()
    if not texts:
        pytest.skip(f"${corpus.VARIABLE} names no folder with rule files")
    assert differences(each_promtool, texts) == []


@pytest.mark.promtool
def test_every_listed_difference_is_there(each_promtool: Promtool) -> None:
    rows = [row for row in LISTED if row.version == each_promtool.number]
    found = cases(each_promtool, [row.example for row in rows])
    assert [reason(case) for case in found if not case.agrees] == [row.reason for row in rows]


@settings(deadline=None)
@given(strategy(), st.sampled_from(VERSIONS))
def test_the_reader_takes_or_refuses_whatever_is_written(text: str, version: Version) -> None:
    assert broken(text, version) == ""


def test_the_reader_takes_or_refuses_garbage() -> None:
    assert list(worst(seed=1, count=150)) == []
