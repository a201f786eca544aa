"""Joins: what two sides are matched on, and whether a side has several series for one match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from gpuobs import names
from gpuobs.expressions import Expression
from gpuobs.promql import nodes, walk
from gpuobs.promql.functions import VECTOR
from gpuobs.promql.labelset import Labels
from gpuobs.promql.nodes import Aggregate, Binary, Call, Node, Select
from gpuobs.promql.operands import COMPARISONS, SETS
from gpuobs.promql.operators import keys
from gpuobs.promql.shapes import FILTERED, Shape, least

_IDENTITY = (
    names.CLUSTER,
    names.POOL,
    names.NODE,
    names.GPU,
    names.GPU_UUID,
    names.MIG_INSTANCE,
)
OF_TARGET = frozenset({"job", "cluster", "pool"})


@dataclass(frozen=True, slots=True)
class Side:
    """One operand of a join: `key` is what the other side sees of its labels."""

    node: Node
    shape: Shape
    key: Labels

    @property
    def single(self) -> bool:
        """Whether it is one sample at most."""
        labels = self.shape.labels
        return self.shape.count == 1 or not (labels.open or labels.possible)


@dataclass(frozen=True, slots=True)
class Join:
    """Two vectors that are matched; `on` is None without one."""

    node: Binary
    left: Side
    right: Side
    on: tuple[str, ...] | None
    ignoring: tuple[str, ...]

    @property
    def is_set(self) -> bool:
        return self.node.name in SETS

    @property
    def one(self) -> Side | None:
        """The side that must be unique where the other may repeat."""
        if self.node.group is None:
            return None
        return self.right if self.node.group.keyword == "group_left" else self.left

    @property
    def apart(self) -> tuple[str, ...]:
        """Labels because of which no series of the one side can match one of the other."""
        return self.left.shape.labels.never_meets(self.right.shape.labels, self.on, self.ignoring)

    @property
    def common(self) -> tuple[str, ...]:
        """Labels that every series of both sides has, with values that can be equal: an instance is one of its job."""
        left, right = self.left.shape.labels, self.right.shape.labels
        other_jobs = left.never_meets(right, ("job",), ())
        both = (left.certain & right.certain) - ({"instance"} if other_jobs else set())
        return tuple(k for k in sorted(both) if not left.never_meets(right, (k,), ()))


@lru_cache(maxsize=32768)
def joins(expression: Expression) -> tuple[Join, ...]:
    """Every binary operator between two vectors."""
    return tuple(_joins(expression))


def _joins(expression: Expression) -> Iterator[Join]:
    for node in expression.analysis.of(Binary):
        left, right = expression.analysis[node.lhs], expression.analysis[node.rhs]
        if left.type == right.type == VECTOR:
            on, ignoring = keys(node)
            sides = (_side(node.lhs, left, on, ignoring), _side(node.rhs, right, on, ignoring))
            yield Join(node, *sides, on, ignoring)


def _side(node: Node, shape: Shape, on: tuple[str, ...] | None, ignoring: tuple[str, ...]) -> Side:
    labels = shape.labels
    return Side(node, shape, labels.drop(ignoring) if on is None else labels.keep(on))


def repeated(expression: Expression, side: Side) -> tuple[int, int] | None:
    """Series that a side has if every GPU reports, and the fewer keys that they have; None where that is not proved."""
    shape = side.shape
    if shape.labels.open or FILTERED in shape.traits or not _is_whole(expression, side.node):
        return None
    telling = shape.labels.keep(shape.labels.certain & identity(expression, shape))
    total = least(expression.world.count(telling, shape.scope), shape.count)
    key = expression.world.count(side.key, shape.scope)
    return (total, key) if total is not None and key is not None and total > key else None


def _is_whole(expression: Expression, node: Node) -> bool:
    """Whether no matcher picks some of the nodes or GPUs."""
    policy = expression.program.policy
    assert policy is not None
    selects = [each.selector for each in walk(node) if isinstance(each, Select)]
    return all(
        selector.name in policy.collected and {m.label for m in selector.matchers} <= OF_TARGET
        for selector in selects
    )


def identity(expression: Expression, shape: Shape) -> frozenset[str]:
    """What the exporters of a shape call the labels that tell GPUs apart."""
    policy = expression.program.policy
    assert policy is not None
    used = [each for each in policy.exporters if each.catalog.name in shape.scope]
    found = {each.label(label) for each in used for label in _IDENTITY}
    return frozenset(label for label in found if label)


def means(expression: Expression, shape: Shape) -> Mapping[str, str]:
    """What every series of a shape says of its GPU and node, to the label that has it, whatever that was renamed to."""
    policy = expression.program.policy
    assert policy is not None
    used = [each for each in policy.exporters if each.catalog.name in shape.scope]
    found: dict[str, str] = {}
    for label in sorted(shape.labels.certain):
        origin = shape.labels.origin(label)
        meant = {each.canonical.get(origin, origin) for each in used}
        if len(meant) == 1 and not meant.isdisjoint(_IDENTITY):
            found.setdefault(meant.pop(), label)
    return found


def is_apart(expression: Expression, node: Node | None) -> bool:
    """Whether a node is a join that never matches: what its result lacks is no mistake of its own."""
    return any(join.node is node and join.apart for join in joins(expression))


def selected(node: Node) -> Select | None:
    """The selector whose series these are, one for one, through what takes and renames them."""
    node = nodes.bare(node)
    if isinstance(node, Select):
        return node
    if (
        isinstance(node, Binary)
        and node.name in COMPARISONS
        and nodes.constant(node.rhs) is not None
    ):
        return selected(node.lhs)
    if isinstance(node, Call) and node.name in ("label_replace", "label_join", "last_over_time"):
        return selected(node.args[0])
    return None


def absences(node: Node) -> Iterator[Call]:
    """Calls of absent() and absent_over_time() whose labels a node's series have."""
    node = nodes.bare(node)
    if isinstance(node, Call) and node.name in ("absent", "absent_over_time"):
        yield node
    elif isinstance(node, Aggregate):
        yield from absences(node.expr)
    elif isinstance(node, Binary):
        yield from absences(node.lhs)
        if node.name == "or":
            yield from absences(node.rhs)


def listed(labels: tuple[str, ...], most: int = 4) -> str:
    """Labels in quotes, and how many more there are."""
    text = ", ".join(f"'{label}'" for label in labels[:most])
    return f"{text} and {len(labels) - most} more" if len(labels) > most else text
