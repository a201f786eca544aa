"""Every expression that an author wrote, parsed and analysed: what the checks of PromQL look at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from gpuobs import promql
from gpuobs.diagnostics import Diagnostic, Related, Span, error, warning
from gpuobs.ir import AlertingRule, Program, Rule, RuleFile, RuleGroup
from gpuobs.nearest import nearest
from gpuobs.promql.analysis import Analysis, analyse
from gpuobs.promql.labelset import Labels
from gpuobs.promql.nodes import Node
from gpuobs.promql.shapes import Shape
from gpuobs.spec.document import place
from gpuobs.spec.node import Node as Yaml
from gpuobs.world import FleetWorld, world


@dataclass(frozen=True, eq=False)
class Expression:
    """An expression where it was written: the rule and group that it belongs to, and the shapes of its nodes."""

    program: Program
    file: RuleFile
    group: RuleGroup
    rule: Rule
    yaml: Yaml
    parsed: promql.Parsed
    analysis: Analysis

    @property
    def world(self) -> FleetWorld:
        return world(self.program)

    @property
    def result(self) -> Shape:
        return self.analysis.result

    @property
    def alert(self) -> AlertingRule | None:
        """The alerting rule, if it is one."""
        return self.rule if isinstance(self.rule, AlertingRule) else None

    def text(self, node: Node) -> str:
        """A node as the author wrote it, on one line."""
        return " ".join(self.parsed.text[node.start : node.end].split())

    def is_added(self, label: str, node: Node) -> bool:
        """Whether a node's series would have a label if the scrape of a foreign file's metrics adds it.

        Of a label that no exporter of the fleet has in any spelling nothing else is known.
        """
        policy, possible = self.program.policy, self.analysis[node].labels.possible
        assert policy is not None
        if not self.program.foreign or label in policy.label_names or nearest(label, possible):
            return False
        return analyse(self.parsed.tree, _Adding(self.world, label))[node].labels.can_have(label)

    def place(self, start: int, end: int) -> Span:
        return place(self.yaml, start, end)

    def error(
        self,
        at: Node | tuple[int, int],
        code: str,
        message: str,
        hint: str = "",
        related: tuple[Related, ...] = (),
    ) -> Diagnostic:
        """An error at a node, or between two offsets."""
        return error(self._span(at), code, message, hint, related)

    def warning(
        self,
        at: Node | tuple[int, int],
        code: str,
        message: str,
        hint: str = "",
        related: tuple[Related, ...] = (),
    ) -> Diagnostic:
        """A warning at a node, or between two offsets."""
        return warning(self._span(at), code, message, hint, related)

    def counted(
        self,
        at: Node | tuple[int, int],
        code: str,
        message: str,
        hint: str = "",
        related: tuple[Related, ...] = (),
    ) -> Diagnostic:
        """An error that rests on the size of the fleet: a warning where that is assumed."""
        assert self.program.policy is not None
        say = self.warning if self.program.policy.is_assumed else self.error
        return say(at, code, message, hint, related)

    def _span(self, at: Node | tuple[int, int]) -> Span:
        start, end = at if isinstance(at, tuple) else (at.start, at.end)
        return place(self.yaml, start, end)


@dataclass(frozen=True)
class _Adding:
    """A world in which the series of every metric, and so of every record, can have one label more."""

    world: FleetWorld
    label: str

    @property
    def evaluation_interval(self) -> float:
        return self.world.evaluation_interval

    def metric(self, name: str) -> Shape | None:
        shape = self.world.metric(name)
        return shape and shape.but(labels=shape.labels.with_label(self.label, certain=False))

    def count(self, labels: Labels, scope: frozenset[str], span: float = 0) -> int | None:
        return self.world.count(labels.drop((self.label,)), scope, span)

    def share(self, part: str, whole: str) -> str:
        return self.world.share(part, whole)


@lru_cache(maxsize=4)
def expressions(program: Program) -> tuple[Expression, ...]:
    """Every expression that was written and that can be read, in the order of the files."""
    return tuple(_written(program))


def _written(program: Program) -> Iterator[Expression]:
    for file in program.rule_files:
        for group in file.groups:
            for rule in group.rules:
                node = rule.part("expr")
                if node is None or not isinstance(node.value, str):
                    continue
                parsed = promql.parse(node.value, program.version)
                if isinstance(parsed, promql.Parsed):
                    analysis = analyse(parsed.tree, world(program))
                    yield Expression(program, file, group, rule, node, parsed, analysis)


def result(program: Program, rule: Rule) -> Shape | None:
    """The shape of a rule's result, whoever wrote it; None where its expression cannot be read."""
    parsed = promql.parse(rule.expr, program.version)
    if isinstance(parsed, promql.Refused):
        return None
    return analyse(parsed.tree, world(program)).result
