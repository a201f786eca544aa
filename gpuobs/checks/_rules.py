"""What checks of rules share: what a rule reads at the moment, and which groups stand side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gpuobs import promql
from gpuobs.ir import Program, Rule, RuleGroup
from gpuobs.promql import Matcher, Node, Parsed, Selector, re2
from gpuobs.promql.nodes import Select, Subquery, children


def words(program: Program, text: str) -> tuple[str, ...]:
    """An expression's tokens, so that layout and comments make no difference."""
    parsed = promql.parse(text, program.version)
    if not isinstance(parsed, Parsed):
        return tuple(text.split())
    return tuple(token.text for token in parsed.tokens)


def reads_now(node: Node) -> Iterator[Selector]:
    """Selectors of the newest sample: without a range, an offset or a time of their own."""
    pending = [node]
    while pending:
        node = pending.pop()
        if isinstance(node, Subquery):
            continue
        if isinstance(node, Select) and not (node.window or node.offset or node.at):
            yield node.selector
        pending += reversed(children(node))


def may_select(selector: Selector, rule: Rule) -> bool:
    """Whether a selector may select series of a rule, by the labels that the rule sets."""
    known = (m for m in selector.matchers if m.label in rule.labels)
    return all(accepts(matcher, rule.labels[matcher.label]) for matcher in known)


def accepts(matcher: Matcher, value: str) -> bool:
    """Whether a matcher lets a value pass, or may do so."""
    if matcher.op in ("=", "!="):
        return (matcher.value == value) == (matcher.op == "=")
    pattern = re2.anchored(matcher.value)
    return pattern is None or bool(pattern.fullmatch(value)) == (matcher.op == "=~")


def knotted(read: Mapping[str, Iterable[str]]) -> Mapping[str, str]:
    """Each name to one that stands for all that read each other, directly or not: itself where it is in no circle."""
    readers: dict[str, list[str]] = {name: [] for name in read}
    for reader, names in read.items():
        for name in names:
            readers[name].append(reader)
    found: dict[str, str] = {}
    for root in reversed(tuple(_after_what_they_read(read))):
        pending = [root]
        while pending:
            name = pending.pop()
            if name not in found:
                found[name] = root
                pending += readers[name]
    return found


def _after_what_they_read(read: Mapping[str, Iterable[str]]) -> Iterator[str]:
    opened, closed = set[str](), set[str]()
    for root in read:
        pending = [root]
        while pending:
            name = pending[-1]
            if name not in opened:
                opened.add(name)
                pending += (each for each in read[name] if each not in opened)
                continue
            pending.pop()
            if name not in closed:
                closed.add(name)
                yield name


def side_by_side(program: Program) -> Iterator[RuleGroup]:
    """Groups that one Prometheus may evaluate together.

    A group that stands under one name in several files is one group in versions for several servers: the first is taken.
    """
    seen: dict[str, int] = {}
    for index, file in enumerate(program.rule_files):
        for group in file.groups:
            if seen.setdefault(group.name, index) == index:
                yield group
