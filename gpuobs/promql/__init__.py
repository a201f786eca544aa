"""The one door to PromQL: text to a parsed expression, or to the reason why not, with offsets into the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from gpuobs.promql import grammar, guard, labels, tree
from gpuobs.promql.grammar import Facts
from gpuobs.promql.labels import LabelsOf
from gpuobs.promql.lexer import Token, tokens
from gpuobs.promql.refused import Refused
from gpuobs.promql.selecting import Grouping, Matcher, Selector
from gpuobs.promql.walk import kind, matcher_operator, operator, walk

__all__ = [
    "Grouping",
    "Matcher",
    "Parsed",
    "Refused",
    "Selector",
    "Token",
    "calls",
    "groupings",
    "kind",
    "matcher_operator",
    "operator",
    "parse",
    "possible_labels",
    "selectors",
    "value_type",
    "walk",
]

OLDEST = (2, 42)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A valid expression: the author's text, its tokens, the parser's tree and what the grammar found."""

    text: str
    tokens: tuple[Token, ...]
    tree: Any = field(compare=False, repr=False)
    facts: Facts = field(compare=False, repr=False)


@lru_cache(maxsize=32768)
def parse(text: str, version: tuple[int, int] = OLDEST) -> Parsed | Refused:
    """The expression as Prometheus of this version reads it, or why it does not."""
    refused = guard.too_long(text)
    if refused is not None:
        return refused
    stream = tokens(text)
    refused = guard.too_complex(stream)
    if refused is not None:
        return refused
    facts = grammar.read(text, stream, version)
    if isinstance(facts, Refused):
        return facts
    built = tree.build(text, stream)
    if isinstance(built, Refused):
        return built
    return _unusable(text, facts) or Parsed(text, stream, built, facts)


def _unusable(text: str, facts: Facts) -> Refused | None:
    """A rule must give an instant vector or a scalar: a range vector or a string passes promtool and fails at every evaluation."""
    if facts.result == "matrix":
        hint = "apply a function such as rate() or max_over_time()"
        return Refused("promql/syntax", "a range vector is no result", 0, len(text), hint)
    if facts.result == "string":
        return Refused("promql/syntax", "a string is no result", 0, len(text), "")
    return None


def selectors(parsed: Parsed) -> tuple[Selector, ...]:
    """Every selector of the expression, in the order of the text."""
    return parsed.facts.selectors


def groupings(parsed: Parsed) -> tuple[Grouping, ...]:
    """Every label list of by, without, on, ignoring, group_left and group_right, in the order of the text."""
    return parsed.facts.groupings


def calls(parsed: Parsed) -> tuple[Token, ...]:
    """The names of the functions and aggregations, in the order of the text."""
    return parsed.facts.functions


def possible_labels(parsed: Parsed, labels_of: LabelsOf) -> frozenset[str] | None:
    """Labels that the result's series can have, never too few; None where that is not known."""
    return labels.possible(parsed.tree, labels_of)


def value_type(parsed: Parsed) -> str:
    """`scalar` or `vector`."""
    return parsed.facts.result
