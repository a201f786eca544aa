"""Where expressions use labels of what stands below: groupings, joins and the functions that copy labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from gpuobs.expressions import Expression
from gpuobs.nearest import did_you_mean
from gpuobs.promql import nodes, walk
from gpuobs.promql.nodes import Aggregate, Binary, Call, Node, Select, String

_RELABELLING = ("label_replace", "label_join")
_OF_TARGET = ("namespace", "pod", "container")


@dataclass(frozen=True, slots=True)
class Use:
    """A label with its offsets, and the operand whose series should have it; in `on` also the other operand."""

    label: str
    start: int
    end: int
    operand: Node
    other: Node | None = None

    @property
    def at(self) -> tuple[int, int]:
        return self.start, self.end


@lru_cache(maxsize=32768)
def uses(expression: Expression) -> tuple[Use, ...]:
    """Every use of a label on the result of a sub-expression; matchers are not among them."""
    return tuple(_uses(expression))


def _uses(expression: Expression) -> Iterator[Use]:
    for aggregate in expression.analysis.of(Aggregate):
        if aggregate.grouping is not None and aggregate.grouping.keyword == "by":
            yield from (Use(*label, aggregate.expr) for label in aggregate.grouping.labels)
    for binary in expression.analysis.of(Binary):
        yield from _joined(binary)
    for call in expression.analysis.of(Call):
        if call.name in _RELABELLING:
            for argument in call.args[3:4] if call.name == "label_replace" else call.args[3:]:
                text = nodes.bare(argument)
                if isinstance(text, String) and text.value:
                    yield Use(text.value, text.start, text.end, call.args[0])


def _joined(node: Binary) -> Iterator[Use]:
    if node.matching is not None and node.matching.keyword == "on":
        for label in node.matching.labels:
            yield Use(*label, node.lhs, node.rhs)
            yield Use(*label, node.rhs, node.lhs)
    if node.group is not None:
        one = node.rhs if node.group.keyword == "group_left" else node.lhs
        yield from (Use(*label, one) for label in node.group.labels)


def missing(expression: Expression) -> Iterator[Use]:
    """Uses of a label that no series of the operand can have."""
    for use in uses(expression):
        if _lacks(expression, use) and not expression.is_added(use.label, use.operand):
            yield use


def _lacks(expression: Expression, use: Use) -> bool:
    """Whether no series has the label; labels of Kubernetes objects, which are open, begin in a certain way."""
    select = nodes.bare(use.operand)
    if isinstance(select, Select):
        assert expression.program.policy is not None
        collected = expression.program.policy.collected.get(select.selector.name)
        if collected is not None and collected.metric.label_prefixes:
            return not collected.can_have(use.label)
    return not expression.analysis[use.operand].labels.can_have(use.label)


def exporters_own(expression: Expression, label: str, operand: Node) -> bool:
    """Whether a label is the exporter's own, the same for all GPUs of a node, and the workload's has another name."""
    if label not in _OF_TARGET:
        return False
    if any(isinstance(each, Call) and each.name in _RELABELLING for each in walk(operand)):
        return False
    below = [node.selector.name for node in walk(operand) if isinstance(node, Select)]
    return bool(below) and all(_is_exporters(expression, name, label) for name in below)


def another_domain(expression: Expression, use: Use) -> bool:
    """Whether a label of `on` is the exporter's own on this side, and something else on the other."""
    if use.other is None or not exporters_own(expression, use.label, use.operand):
        return False
    if not expression.analysis[use.other].labels.can_have(use.label):
        return False
    return not exporters_own(expression, use.label, use.other)


def _is_exporters(expression: Expression, name: str, label: str) -> bool:
    assert expression.program.policy is not None
    collected = expression.program.policy.collected.get(name)
    if collected is None or label not in collected.exporter.catalog.workload_labels:
        return False
    workload = collected.exporter.workload_label(label)
    return workload != label and workload in collected.labels


def own_label_hint(expression: Expression, use: Use) -> str:
    """What the workload's label is called, and how it keeps its name in the scrape of an exporter of no vendor."""
    hint = f"the workload's is 'exported_{use.label}' here"
    policy = expression.program.policy
    assert policy is not None
    found = policy.collected.get(metric(use))
    if found is None or found.exporter.catalog.vendor:
        return hint
    honours = f"'honorLabels: true' of exporter '{found.exporter.catalog.name}' in the fleet"
    return f"{hint}; if its scrape honours labels, as kube-prometheus has it, say so: {honours}"


def workloads(expression: Expression, label: str, operand: Node) -> str:
    """The workload's label where the one that is asked for is the exporter's own; else the label itself."""
    return f"exported_{label}" if exporters_own(expression, label, operand) else label


def removed_by(expression: Expression, label: str, operand: Node) -> Node | None:
    """The outermost node from an operand down that takes a label away; None where the label never was there."""
    shapes = expression.analysis
    pending = [operand]
    while pending:
        node = pending.pop()
        of_left = isinstance(node, Binary) and node.name in ("and", "unless")
        below = nodes.children(node)[: 1 if of_left else None]
        pending += reversed(below)
        if not shapes[node].labels.can_have(label) and any(
            shapes[child].labels.can_have(label) for child in below
        ):
            return node
    return None


def metric(use: Use) -> str:
    """The first metric below a use."""
    names = (node.selector.name for node in walk(use.operand) if isinstance(node, Select))
    return next((name for name in names if name), "")


def hint(expression: Expression, name: str, label: str) -> str:
    """What to write for a label that series of a metric do not have."""
    assert expression.program.policy is not None
    collected = expression.program.policy.collected.get(name)
    if collected is not None:
        return collected.label_hint(label)
    shape = expression.world.metric(name)
    return did_you_mean(label, shape.labels.possible) if shape is not None else ""
