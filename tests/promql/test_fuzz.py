"""No text, however broken, makes the reader of PromQL raise, crash or point outside the text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuobs import promql
from gpuobs.promql import re2
from gpuobs.promql.analysis import analyse
from gpuobs.promql.lexer import scan, tokens
from tests.promql.tables import VERSIONS, expressions, matcher, patterns
from tests.promql.worlds import Nothing

# The first example pays for imports, and machines are shared.
unhurried = settings(deadline=None)
_TEXTS = [verdict.text for verdict in expressions()]
_WORDS = sorted({token.text for text in _TEXTS for token in scan(text)})
_PATTERNS = [verdict.text for verdict in patterns()]
_PATTERN_PARTS = sorted({part for pattern in _PATTERNS for part in (pattern, *pattern)})


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A known expression with tokens removed, added, replaced or swapped."""
    parts = [token.text for token in scan(draw(st.sampled_from(_TEXTS)))]
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(parts)))
        removed = draw(st.integers(0, 2))
        parts[place : place + removed] = draw(st.lists(st.sampled_from(_WORDS), max_size=2))
    return "".join(parts)


def check(text: str, version: tuple[int, int]) -> None:
    found = promql.parse(text, version)
    if isinstance(found, promql.Refused):
        assert found.message
        assert 0 <= found.start <= found.end <= len(text)
        assert found.start < found.end or not text
        return
    for selector in promql.selectors(found):
        assert 0 <= selector.start <= selector.name_start <= selector.name_end <= selector.end
        for each in selector.matchers:
            quoted = tokens(text[each.value_start : each.value_end])
            assert [token.value for token in quoted] == [each.value]
    for call in promql.calls(found):
        assert text[call.start : call.end] == call.text
    for node in promql.walk(found.tree):
        assert 0 <= node.start < node.end <= len(text)
    result = analyse(found.tree, Nothing()).result
    assert result.labels.open or result.labels.certain <= result.labels.possible


@unhurried
@given(st.text(), st.sampled_from(VERSIONS))
def test_any_text(text: str, version: tuple[int, int]) -> None:
    check(text, version)


@unhurried
@given(mutated(), st.sampled_from(VERSIONS))
def test_mutated_expressions(text: str, version: tuple[int, int]) -> None:
    check(text, version)


@unhurried
@given(st.lists(st.sampled_from(_WORDS), max_size=12).map(" ".join), st.sampled_from(VERSIONS))
def test_any_tokens(text: str, version: tuple[int, int]) -> None:
    check(text, version)


@unhurried
@given(st.lists(st.sampled_from(_PATTERN_PARTS), max_size=6).map("".join) | st.text())
def test_any_pattern(pattern: str) -> None:
    for version in VERSIONS:
        if not re2.problem(pattern, version):
            assert isinstance(re2.matches_empty(pattern), bool)
    check(matcher(pattern).replace("\n", "\\n"), (3, 5))
