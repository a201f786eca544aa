"""Groups that promtool evaluates in random order, though one reads what another records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpuobs import promql
from gpuobs.diagnostics import Diagnostic, error, warning
from gpuobs.foreign.promtool_model import Case, ExprTest, TestFile
from gpuobs.ir import RecordingRule, RuleFile, RuleGroup
from gpuobs.nearest import did_you_mean

CODE = "test/group-order"
_NEWEST = (99, 0)


@dataclass(frozen=True, slots=True)
class _Placed:
    """A rule with what it reads and its group, known by its number: two files may have groups of one name."""

    rule: RecordingRule
    group: int
    reads: tuple[str, ...]


def problems(tests: TestFile, files: Sequence[RuleFile]) -> Iterator[Diagnostic]:
    """Names in `group_eval_order` that no group has, and groups that it leaves in random order."""
    groups = [group for file in files for group in file.groups]
    yield from _unknown(tests, {group.name for group in groups})
    rules = [
        _Placed(rule, at, _reads(rule))
        for at, group in enumerate(groups)
        for rule in group.rules
        if isinstance(rule, RecordingRule)
    ]
    yield from _random(tests, groups, rules)


def _unknown(tests: TestFile, known: set[str]) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for node in tests.order:
        if node.value in seen:
            message = f"group '{node.value}' is there twice, which promtool refuses"
            yield error(node.span, "yaml/bad-value", message, "remove one of them")
        elif node.value not in known:
            message = f"no group '{node.value}' in the rule files of this test"
            yield warning(node.span, CODE, message, did_you_mean(node.value, known))
        seen.add(node.value)


def _random(
    tests: TestFile, groups: Sequence[RuleGroup], rules: Sequence[_Placed]
) -> Iterator[Diagnostic]:
    """The first rule on which a changing result depends, and that reads a group of no certain order."""
    # promtool sorts by the place in the list, where a group that is not listed has the first, and shuffles equals.
    places = {name: at for at, name in reversed(list(enumerate(tests.texts("order"))))}
    order = [places.get(group.name, 0) for group in groups]
    writers = _writers(rules)
    for case in tests.cases:
        for test in case.exprs:
            needed = _needed(test, writers)
            if not _changes(case, test.at, {name for placed in needed for name in placed.reads}):
                continue
            for reader in needed:
                for name in reader.reads:
                    for writer in writers.get(name, ()):
                        apart = writer.group != reader.group
                        if apart and order[writer.group] == order[reader.group]:
                            yield _finding(tests, groups, reader, writer, name)
                            return


def _finding(
    tests: TestFile, groups: Sequence[RuleGroup], reader: _Placed, writer: _Placed, name: str
) -> Diagnostic:
    first, then = groups[writer.group].name, groups[reader.group].name
    message = (
        f"promtool evaluates the groups '{first}' and '{then}' in random order, and '{reader.rule.record}' reads "
        f"'{name}': the result can differ from run to run"
    )
    hint = (
        f"group_eval_order: [{first}, {then}]" if first != then else "give the groups other names"
    )
    key = "group_eval_order" if tests.order else "rule_files"
    return warning(tests.written.at_key(key), CODE, message, hint)


def _reads(rule: RecordingRule) -> tuple[str, ...]:
    """Names of the series that a rule reads, in the order of the text."""
    parsed = promql.parse(rule.expr, _NEWEST)
    selected = () if isinstance(parsed, promql.Refused) else promql.selectors(parsed)
    return tuple(dict.fromkeys(selector.name for selector in selected))


def _writers(rules: Sequence[_Placed]) -> Mapping[str, list[_Placed]]:
    writers: dict[str, list[_Placed]] = defaultdict(list)
    for placed in rules:
        writers[placed.rule.record].append(placed)
    return writers


def _changes(case: Case, at: float, names: set[str]) -> bool:
    """Whether a series rises or falls at a moment: of one that stands still each evaluation sees the same."""
    for series in case.series:
        begin = 0.0
        for word in (series.samples or ()) if series.name in names else ():
            end = begin + word.count * case.interval
            if word.step and float(word.step) != 0 and begin < at < end:
                return True
            begin = end
    return False


def _needed(test: ExprTest, writers: Mapping[str, list[_Placed]]) -> list[_Placed]:
    """The rules whose results an expression reads, directly or not, in a certain order."""
    selected = promql.selectors(test.expr) if test.expr is not None else ()
    todo = [placed for selector in selected for placed in writers.get(selector.name, ())]
    needed: dict[int, _Placed] = {}
    for placed in todo:
        if id(placed) not in needed:
            needed[id(placed)] = placed
            todo += [writer for name in placed.reads for writer in writers.get(name, ())]
    return list(needed.values())
