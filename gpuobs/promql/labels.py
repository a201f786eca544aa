"""An upper bound on the labels that an expression's result can have.

It is used to say that a label can never be there, so it is never too small: where nothing is known it says None. The
metric's name is no label here, though a selector alone keeps it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuobs.promql.functions import FUNCTIONS, MATRIX, SCALAR, VECTOR
from gpuobs.promql.walk import children, kind, matcher_operator, operator

LabelsOf = Callable[[str], frozenset[str] | None]


def possible(node: Any, labels_of: LabelsOf) -> frozenset[str] | None:
    """Labels that series of the result can have; None where a metric's labels are not known."""
    return _BY_KIND.get(kind(node), _below)(node, labels_of)


def _below(node: Any, labels_of: LabelsOf) -> frozenset[str] | None:
    below = children(node)
    return possible(below[0], labels_of) if below else frozenset()


def _selector(node: Any, labels_of: LabelsOf) -> frozenset[str] | None:
    matchers = node.matchers.matchers
    named = (m.value for m in matchers if m.name == "__name__" and matcher_operator(m) == "=")
    name = node.name or next(named, "")
    labels = labels_of(name) if name else None
    return None if labels is None else labels | _matched(matchers)


def _matched(matchers: Any) -> frozenset[str]:
    return frozenset(
        m.name for m in matchers if matcher_operator(m) == "=" and m.name != "__name__"
    )


def _call(node: Any, labels_of: LabelsOf) -> frozenset[str] | None:
    name, arguments = node.func.name, list(node.args)
    if name in ("absent", "absent_over_time"):
        return _absent(_unwrapped(arguments[0]))
    signature = FUNCTIONS.get(name)
    # The one function without a signature here is holt_winters under its new name; its vector comes first.
    types = signature.arguments if signature is not None else (MATRIX,)
    vector = next(
        (a for a, t in zip(arguments, types, strict=False) if t in (VECTOR, MATRIX)), None
    )
    if vector is None or (signature is not None and signature.result == SCALAR):
        return frozenset()
    labels = possible(vector, labels_of)
    if labels is not None and name in ("label_replace", "label_join"):
        return labels | {_unwrapped(arguments[1]).val}
    return labels - {"le"} if labels is not None and name == "histogram_quantile" else labels


def _absent(node: Any) -> frozenset[str]:
    selector = node.vector_selector if kind(node) == "MatrixSelector" else node
    return (
        _matched(selector.matchers.matchers) if kind(selector) == "VectorSelector" else frozenset()
    )


def _unwrapped(node: Any) -> Any:
    while kind(node) == "ParenExpr":
        node = node.expr
    return node


def _aggregate(node: Any, labels_of: LabelsOf) -> frozenset[str] | None:
    below = possible(node.expr, labels_of)
    name = operator(node)
    if name in ("topk", "bottomk"):
        return below
    grouped: frozenset[str] | None = frozenset()
    if node.modifier is not None:
        listed = frozenset(node.modifier.labels)
        if str(node.modifier.type).endswith("By"):
            grouped = listed if below is None else listed & below
        else:
            grouped = None if below is None else below - listed
    if name == "count_values" and grouped is not None:
        grouped |= {_unwrapped(node.param).val}
    return grouped


def _binary(node: Any, labels_of: LabelsOf) -> frozenset[str] | None:
    left, right = possible(node.lhs, labels_of), possible(node.rhs, labels_of)
    name = operator(node)
    if name in ("and", "unless"):
        return left
    if name == "or":
        return None if left is None or right is None else left | right
    # A number has no labels, so that most operands need no second look.
    if not left and left is not None and is_scalar(node.lhs):
        return right
    if node.modifier is None or (not right and right is not None and is_scalar(node.rhs)):
        return left
    return _joined(node.modifier, left, right)


def _joined(
    modifier: Any, left: frozenset[str] | None, right: frozenset[str] | None
) -> frozenset[str] | None:
    cardinality = str(modifier.card)
    listed = frozenset(modifier.group_labels or ())
    if cardinality.endswith("ManyToOne"):
        return None if left is None else left | listed
    if cardinality.endswith("OneToMany"):
        return None if right is None else right | listed
    if modifier.matching is None:
        return left
    labels = frozenset(modifier.matching.labels)
    if str(modifier.matching.type).endswith("Include"):
        return labels if left is None else left & labels
    return None if left is None else left - labels


def is_scalar(node: Any) -> bool:
    name = kind(node)
    if name in ("ParenExpr", "UnaryExpr"):
        return is_scalar(node.expr)
    if name == "BinaryExpr":
        return is_scalar(node.lhs) and is_scalar(node.rhs)
    return name == "NumberLiteral" or (
        name == "Call" and node.func.name in ("scalar", "time", "pi")
    )


_BY_KIND: dict[str, Callable[[Any, LabelsOf], frozenset[str] | None]] = {
    "VectorSelector": _selector,
    "Call": _call,
    "AggregateExpr": _aggregate,
    "BinaryExpr": _binary,
}
