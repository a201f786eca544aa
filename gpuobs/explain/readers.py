"""Who reads a metric: signals, the rules that select it, and the alerts behind those."""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.ir import AlertingRule, Program, RecordingRule, Rule
from gpuobs.lower.groups import reads
from gpuobs.policy import alternatives, series_of
from gpuobs.spec.model import Metric


def readers(program: Program, name: str, metric: Metric) -> Iterator[tuple[str, list[str]]]:
    """Kind of reader to their names; 'read by: nobody' where there are none."""
    series = {name, *(written for written, _ in series_of(name, metric))}
    direct = [rule for rule in program.rules if series & set(reads(rule.expr))]
    records = _records(direct)
    alerts = sorted({rule.alert for rule in _behind(program, direct)})
    yield "signals", sorted(_signals(program, series))
    yield "rollups", records
    yield "alerts", alerts
    if not records and not alerts:
        yield "read by", ["nobody"]


def _signals(program: Program, series: set[str]) -> Iterator[str]:
    signals = program.policy.signals if program.policy is not None else {}
    for name, signal in signals.items():
        every = (text for vendor in signal.sources for text, _ in alternatives(signal, vendor))
        if any(series & set(reads(text)) for text in every):
            yield name


def _behind(program: Program, rules: list[Rule]) -> Iterator[AlertingRule]:
    """The alerts among some rules, and those that read what the others record, through any number of steps."""
    expressions = [(rule, set(reads(rule.expr))) for rule in program.rules]
    found = list(rules)
    seen: set[str] = set()
    while found:
        yield from (rule for rule in found if isinstance(rule, AlertingRule))
        records = set(_records(found)) - seen
        seen |= records
        found = [rule for rule, names in expressions if names & records]


def _records(rules: list[Rule]) -> list[str]:
    return sorted({rule.record for rule in rules if isinstance(rule, RecordingRule)})
