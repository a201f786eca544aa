"""What would exhaust the parser is refused before it, and what is just simple enough is read."""

from __future__ import annotations

import pytest

from gpuobs import promql
from gpuobs.promql import guard
from gpuobs.promql.analysis import analyse
from tests.promql.worlds import Nothing

COMPLEX = [
    "foo" + " + foo" * (guard.MAX_OPERATORS + 1),
    "foo" + " or foo" * 5000,
    "(" * (guard.MAX_NESTING + 1) + "foo" + ")" * (guard.MAX_NESTING + 1),
    "(" * 20_000,
    "-" * (guard.MAX_UNARY + 1) + "foo",
    "-" * 20_000 + "foo",
    "foo{a='" + "x" * guard.MAX_LENGTH + "'}",
    "foo" + "[5m:1m]" * 5_000,
]


@pytest.mark.parametrize("text", COMPLEX, ids=lambda text: text[:12])
def test_too_complex(text: str) -> None:
    found = promql.parse(text)
    assert isinstance(found, promql.Refused)
    assert found.code == "promql/too-complex"


NEARLY = [
    " + ".join(["foo"] * (guard.MAX_OPERATORS + 1)),
    " ^ ".join(["foo"] * (guard.MAX_OPERATORS + 1)),
    "(" * guard.MAX_NESTING + "foo" + " + foo + foo + foo)" * guard.MAX_NESTING,
    "abs(" * guard.MAX_NESTING + "foo" + ")" * guard.MAX_NESTING,
    "-" * guard.MAX_UNARY + "foo",
    "foo{a!='b'}" + " or foo{a!='b', c='d'}" * guard.MAX_OPERATORS,
]


@pytest.mark.parametrize("text", NEARLY, ids=lambda text: text[:12])
def test_just_simple_enough(text: str) -> None:
    parsed = promql.parse(text)
    assert isinstance(parsed, promql.Parsed)
    assert analyse(parsed.tree, Nothing()).result.labels is not None
    assert sum(1 for _ in promql.walk(parsed.tree)) > guard.MAX_UNARY


HUGE = [
    "up[" + "9" * 5000 + "s]",
    "up offset " + "9" * 5000 + "y",
    "9" * 5000,
    "0x" + "f" * 5000,
    "0x1ee" + "f" * 5000,
    "0" + "7" * 5000,
    "1e" + "9" * 5000,
    'up{a=~"x{' + "9" * 5000 + '}"}',
]


@pytest.mark.parametrize("text", HUGE, ids=lambda text: text[:12])
def test_numbers_of_thousands_of_digits_are_refused(text: str) -> None:
    assert isinstance(promql.parse(text, (2, 42)), promql.Refused)
    assert isinstance(promql.parse(text, (3, 5)), promql.Refused)
