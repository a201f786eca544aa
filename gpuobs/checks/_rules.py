"""What checks of rules share: expressions as their authors wrote them, and which groups stand side by side."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from gpuobs import promql
from gpuobs.diagnostics import Span
from gpuobs.ir import Program, Rule, RuleGroup
from gpuobs.promql import Parsed, Selector, Token
from gpuobs.spec.document import place
from gpuobs.spec.node import Node


def expression(program: Program, rule: Rule) -> tuple[Node, Parsed] | None:
    """The expression that the author wrote, with its node; None where there is none that can be read."""
    node = rule.part("expr")
    if node is None or not isinstance(node.value, str):
        return None
    parsed = promql.parse(node.value, program.version)
    return (node, parsed) if isinstance(parsed, Parsed) else None


def token_span(program: Program, rule: Rule, token: Token | None) -> Span:
    """Where a token of a rule's expression was written; the rule, where gpuobs wrote the expression."""
    written = expression(program, rule)
    if written is None or token is None:
        return rule.origin.span
    return place(written[0], token.start, token.end)


def words(program: Program, text: str) -> tuple[str, ...]:
    """An expression's tokens, so that layout and comments make no difference."""
    parsed = promql.parse(text, program.version)
    if not isinstance(parsed, Parsed):
        return tuple(text.split())
    return tuple(token.text for token in parsed.tokens)


def reads_now(parsed: Parsed) -> Iterator[Selector]:
    """Selectors of the newest sample: without a range, an offset or a time of their own."""
    starts = [token.start for token in parsed.tokens]
    for selector in promql.selectors(parsed):
        following = bisect_left(starts, selector.end)
        after = parsed.tokens[following].text.lower() if following < len(starts) else ""
        if selector.name and after not in ("[", "offset", "@"):
            yield selector


def call_tokens(parsed: Parsed) -> dict[int, Token]:
    """The name in the text of every function and aggregation of the tree, by the node's identity."""
    called = (
        node for node in promql.walk(parsed.tree) if promql.kind(node) in ("Call", "AggregateExpr")
    )
    return {id(node): token for node, token in zip(called, promql.calls(parsed), strict=True)}


def bare(node: Any) -> Any:
    """A node without the brackets around it."""
    while promql.kind(node) == "ParenExpr":
        node = node.expr
    return node


def side_by_side(program: Program) -> Iterator[RuleGroup]:
    """Groups that one Prometheus may evaluate together.

    A group that stands under one name in several files is one group in versions for several servers: the first is taken.
    """
    seen: dict[str, int] = {}
    for index, file in enumerate(program.rule_files):
        for group in file.groups:
            if seen.setdefault(group.name, index) == index:
                yield group
