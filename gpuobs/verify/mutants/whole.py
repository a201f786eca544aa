"""Which expressions give whole values only, so that the next threshold is the next whole number."""

from __future__ import annotations

from gpuobs import promql
from gpuobs.ir import Program, RecordingRule
from gpuobs.promql.functions import names
from gpuobs.promql.nodes import (
    Aggregate,
    Binary,
    Call,
    Node,
    Number,
    Paren,
    Select,
    Subquery,
    Unary,
    children,
)

_COUNTS = names("count count_values group changes resets count_over_time floor ceil absent")
_KEEPS = names(
    "max min sum topk bottomk max_over_time min_over_time sum_over_time last_over_time abs sgn"
    " sort sort_desc label_replace label_join vector clamp_min clamp_max clamp"
)
_WHOLE_RESULT = names("+ - * %")
_COMPARISONS = names("== != > >= < <=")


class Wholeness:
    """Answers for the expressions of a program. What is recorded is as whole as what every rule writes there."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._rules: dict[str, list[RecordingRule]] = {}
        for file in (*program.rule_files, *program.known):
            for rule in file.rules:
                if isinstance(rule, RecordingRule):
                    self._rules.setdefault(rule.record, []).append(rule)
        self._records: dict[str, bool] = {}

    def of(self, node: Node) -> bool:
        """Whether a node has whole values only; False where it is not known."""
        match node:
            case Number(value=value):
                return value == value and abs(value) != float("inf") and value == int(value)
            case Select(selector=selector):
                return self._of_metric(selector.name)
            case Aggregate() | Call() if node.name in _COUNTS:
                return node.name != "count_values"
            case Aggregate():
                return node.name in _KEEPS and self.of(node.expr)
            case Call(args=args):
                return self._called(node.name, args)
            case Binary():
                return self._combined(node)
            case Paren() | Unary() | Subquery():
                return all(map(self.of, children(node)))
        return False

    def _called(self, name: str, args: tuple[Node, ...]) -> bool:
        if name == "round":
            return len(args) == 1 or self.of(args[1])
        if name in ("label_replace", "label_join"):
            return self.of(args[0])
        return name in _KEEPS and all(map(self.of, args))

    def _combined(self, node: Binary) -> bool:
        if node.name in _COMPARISONS:
            return node.bool or self.of(node.lhs)
        if node.name in ("and", "unless"):
            return self.of(node.lhs)
        known = node.name == "or" or node.name in _WHOLE_RESULT
        return known and self.of(node.lhs) and self.of(node.rhs)

    def _of_metric(self, name: str) -> bool:
        if name in self._rules:
            if name not in self._records:
                self._records[name] = False  # within a circle
                self._records[name] = all(map(self._written, self._rules[name]))
            return self._records[name]
        policy = self._program.policy
        collected = policy.collected.get(name) if policy is not None else None
        return collected is not None and collected.metric.integer

    def _written(self, rule: RecordingRule) -> bool:
        parsed = promql.parse(rule.expr, self._program.version)
        return isinstance(parsed, promql.Parsed) and self.of(parsed.tree)
