"""The series that would tell a survivor from its rule, in words: what no test has yet."""

from __future__ import annotations

from gpuobs.promql.nodes import Aggregate, Binary, constant
from gpuobs.verify.mutants.edits import Edit, number
from gpuobs.verify.mutants.making import Mutant


def words(mutant: Mutant, reached: bool) -> str:
    """What a scenario needs; where no test reads the rule at all, that comes first."""
    if not reached:
        return f"no test reads '{mutant.name}', directly or through other rules"
    edit = mutant.edit
    if edit is None:
        duration = mutant.said.split("'")[1]
        return f"a scenario that says when the alert is quiet just before, and fires just after, '{duration}'"
    match edit.operator, edit.node:
        case "comparator", Binary() as node:
            return _compared(edit, node)
        case "threshold", Binary() as node:
            return _between(edit, node)
        case "label", _:
            label = edit.said.split("'")[1]
            return (
                f"two series that differ in '{label}' alone, or an expectation that names '{label}'"
            )
        case "matcher", _:
            matcher = edit.said.split("'")[1]
            return f"a series that meets the condition but for {matcher}, and is quiet"
        case "aggregation", Aggregate():
            return "two series of one group, with values on either side of the threshold"
        case "aggregation", _:
            return "values that change within the window, on either side of the threshold"
        case "window", _:
            return f"a value that changes, when the window '{_said(edit)}' has passed and when it has not"
        case "branch" | "set", _:
            return "series that meet each side of the operator alone"
        case "offset", _:
            return "a value that changes, between the offset and now"
    return "series whose values show the difference"


def _compared(edit: Edit, node: Binary) -> str:
    """Where two comparisons differ: at the limit alone, or beside it."""
    if {edit.text, node.name} in ({">", ">="}, {"<", "<="}):
        return f"a scenario with a value of exactly {_limit(node)}, for as long as the alert waits"
    return f"a scenario with a value on either side of {_limit(node)}"


def _between(edit: Edit, node: Binary) -> str:
    limit, moved = _limit(node), edit.text
    low, high = sorted((limit, moved), key=_value)
    return f"a scenario with a value from {low} to {high}"


def _limit(node: Binary) -> str:
    for side in (node.rhs, node.lhs):
        value = constant(side)
        if value is not None:
            return number(value)
    return "what it is compared with"


def _value(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _said(edit: Edit) -> str:
    return edit.said.split("'")[1]
