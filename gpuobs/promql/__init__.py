"""The one door to PromQL: text to a parsed expression, or to the reason why not, with offsets into the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from gpuobs.promql import grammar, guard, re2, second_reader
from gpuobs.promql.lexer import Token, tokens
from gpuobs.promql.nodes import Aggregate, Binary, Call, Node, Select, walk
from gpuobs.promql.refused import Refused
from gpuobs.promql.selecting import Grouping, Matcher, Selector

__all__ = [
    "Grouping",
    "Matcher",
    "Node",
    "Parsed",
    "Refused",
    "Selector",
    "Token",
    "calls",
    "groupings",
    "parse",
    "regex_problem",
    "selectors",
    "walk",
]

OLDEST = (2, 42)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A valid expression: the author's text, its tokens, its tree, and `scalar` or `vector`."""

    text: str
    tokens: tuple[Token, ...]
    tree: Node = field(compare=False, repr=False)
    type: str
    selectors: tuple[Selector, ...] = field(compare=False, repr=False)


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
    read = grammar.read(text, stream, version)
    if isinstance(read, Refused):
        return read
    refused = second_reader.disagreement(text, stream, read.node) or _unusable(text, read.type)
    found = tuple(node.selector for node in walk(read.node) if isinstance(node, Select))
    return refused or Parsed(text, stream, read.node, read.type, found)


def _unusable(text: str, type_: str) -> Refused | None:
    """A rule must give an instant vector or a scalar: a range vector or a string passes promtool and fails at every evaluation."""
    if type_ == "matrix":
        hint = "apply a function such as rate() or max_over_time()"
        return Refused("promql/syntax", "a range vector is no result", 0, len(text), hint)
    if type_ == "string":
        return Refused("promql/syntax", "a string is no result", 0, len(text), "")
    return None


def regex_problem(pattern: str, version: tuple[int, int] = OLDEST) -> str:
    """Why Prometheus cannot compile a regular expression; empty where it can."""
    return re2.problem(pattern, version)


def selectors(parsed: Parsed) -> tuple[Selector, ...]:
    """Every selector of the expression, in the order of the text."""
    return parsed.selectors


def groupings(parsed: Parsed) -> tuple[Grouping, ...]:
    """Every label list of by, without, on, ignoring, group_left and group_right, in the order of the text."""
    found: list[Grouping | None] = []
    for node in walk(parsed.tree):
        if isinstance(node, Aggregate):
            found.append(node.grouping)
        elif isinstance(node, Binary):
            found += [node.matching, node.group]
    return tuple(sorted((g for g in found if g is not None), key=lambda g: g.start))


def calls(parsed: Parsed) -> tuple[Token, ...]:
    """The names of the functions and aggregations, in the order of the text."""
    found = [n.function for n in walk(parsed.tree) if isinstance(n, Aggregate | Call)]
    return tuple(sorted(found, key=lambda token: token.start))
