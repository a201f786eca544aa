"""Many mutants beside each other: each with rules of its own names for all that reads what it changes.

promtool takes 60 ms to start, and evaluates a rule in a fraction of one. So the mutant number 17 of `Hot` becomes one more
rule, `Hot__mutant17`, in the file of the test that knows `Hot`, and each assertion about `Hot` is asked again about `Hot__mutant17`.
A mutant of a recorded series takes copies of all rules with it that stand between the series and the assertions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from gpuobs import promql
from gpuobs.ir import RecordingRule, Rule
from gpuobs.verify.mutants.making import Mutant
from gpuobs.verify.suites import Assertion, Case, alert_key, key, reads

_NUMBER = re.compile(r"__mutant([0-9]+)\Z")
Version = tuple[int, int]
Names = Mapping[str, str]  # key of a rule to its name as a mutant's


def number_of(name: str) -> int | None:
    """The number of the mutant whose rule has this name; None for a rule of the original."""
    found = _NUMBER.search(name)
    return int(found[1]) if found else None


def affected(case: Case, mutant: Mutant) -> frozenset[str] | None:
    """The keys of all that a mutant can change in a case; None where somebody reads them in a way that cannot be renamed."""
    if reads(mutant.changed.expr, case.version) is None:
        return None  # it would see the other mutants
    return _downstream(case, key(mutant.rule))


@lru_cache(maxsize=4096)
def _downstream(case: Case, changed: str) -> frozenset[str] | None:
    found = {changed}
    for _ in case.rules:
        before = len(found)
        for rule in case.rules:
            read = reads(rule.expr, case.version)
            if read is None:
                return None
            if not read.isdisjoint(found):
                found.add(key(rule))
        if len(found) == before:
            break
    if any(assertion.reads is None for assertion in case.assertions):
        return None
    return frozenset(found)


def renamed(keys: Iterable[str], number: int) -> Names:
    return {each: f"{_plain(each)}__mutant{number}" for each in keys}


def _plain(key: str) -> str:
    return key[len("ALERTS{") : -1] if key.endswith("}") else key


def copies(
    rule: Rule, mutants: Mapping[int, tuple[Mutant, Names]], version: Version
) -> Iterator[Rule]:
    """A rule's copies for the mutants that change what it reads or what it is."""
    own = key(rule)
    for mutant, names in mutants.values():
        if own not in names:
            continue
        changed = mutant.changed if mutant.rule is rule else rule
        expr = expression(changed.expr, names, version)
        if isinstance(changed, RecordingRule):
            yield replace(changed, record=names[own], expr=expr)
        else:
            yield replace(changed, alert=names[own], expr=expr)


def assertion(asked: Assertion, names: Names, tag: str, version: Version) -> dict[str, Any]:
    """An assertion about a mutant's rules, with a tag at its end that tells it apart in what promtool prints."""
    data = dict(asked.data)
    if asked.form == "alert_rule_test":
        name = str(data["alertname"])
        return {**data, "alertname": names.get(alert_key(name), name)}
    data["expr"] = f"{expression(str(data['expr']), names, version).rstrip()} # {tag}"
    data["exp_samples"] = [
        {**sample, "labels": expression(str(sample["labels"]), names, version)}
        if "labels" in sample
        else sample
        for sample in data.get("exp_samples") or ()
    ]
    return data


def expression(text: str, names: Names, version: Version) -> str:
    """An expression, or the labels of a sample, with the mutant's names."""
    for start, end, found in reversed(_places(text, version)):
        if found in names:
            name = names[found]
            text = text[:start] + (f'"{name}"' if text[start] in "\"'`" else name) + text[end:]
    return text


@lru_cache(maxsize=32768)
def _places(text: str, version: Version) -> tuple[tuple[int, int, str], ...]:
    """Where the names of records and alerts stand, with the keys of their rules."""
    parsed = promql.parse(text, version)
    if isinstance(parsed, promql.Refused):
        return ()
    found = []
    for selector in promql.selectors(parsed):
        if selector.name_start < selector.name_end:
            found.append((selector.name_start, selector.name_end, selector.name))
        found += [
            (m.value_start, m.value_end, alert_key(m.value))
            for m in selector.matchers
            if m.label == "alertname"
        ]
    return tuple(sorted(found))
