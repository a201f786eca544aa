"""What rules read, and what is collected though nothing reads it."""

from __future__ import annotations

from functools import lru_cache

from gpuobs import promql
from gpuobs.budget.ledger import is_sent_raw, ledger
from gpuobs.ir import Program
from gpuobs.promql import re2
from gpuobs.promql.labelset import NAME


@lru_cache(maxsize=4)
def unused(program: Program) -> frozenset[str]:
    """Series that are collected, read by no rule and no alert, and not sent raw; of a histogram all or none."""
    names, patterns = read(program)
    account = ledger(program)
    collected, kept = dict[str, str](), set[str]()
    for line in account.lines:
        metric = collected[line.name] = str(line.metric.name)
        wanted = line.name in names or any(may_match(each, line.name) for each in patterns)
        if wanted or is_sent_raw(account.policy, line):
            kept.add(metric)
    return frozenset(name for name, metric in collected.items() if metric not in kept)


def read(program: Program) -> tuple[frozenset[str], frozenset[str]]:
    """Names that rules read, and patterns of names."""
    names, patterns = set[str](), set[str]()
    for file in (*program.rule_files, *program.known):
        for rule in file.rules:
            parsed = promql.parse(rule.expr, program.version)
            for selector in parsed.selectors if isinstance(parsed, promql.Parsed) else ():
                if selector.name:
                    names.add(selector.name)
                    continue
                named = [m.value for m in selector.matchers if m.label == NAME and m.op == "=~"]
                patterns.update(named or (".*",))
    return frozenset(names), frozenset(patterns)


def may_match(pattern: str, name: str) -> bool:
    """Whether a pattern of Prometheus can match a whole name."""
    regex = re2.anchored(pattern)
    return regex is None or regex.fullmatch(name) is not None
