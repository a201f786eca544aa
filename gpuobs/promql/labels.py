"""An upper bound on the labels that an expression's result can have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuobs.promql.walk import children, kind, matcher_operator, operator

LabelsOf = Callable[[str], frozenset[str] | None]
_NO_LABELS = frozenset({"vector", "time", "pi", "scalar"})


def possible(node: Any, labels_of: LabelsOf) -> frozenset[str] | None:
    """Labels that series of the result can have; None where a metric's labels are not known."""
    return _BY_KIND.get(kind(node), _below)(node, labels_of)


def _below(node: Any, labels_of: LabelsOf) -> frozenset[str] | None:
    below = children(node)
    return possible(below[0], labels_of) if below else frozenset()


def _selector(node: Any, labels_of: LabelsOf) -> frozenset[str] | None:
    matchers = node.matchers.matchers
    name = node.name or next((m.value for m in matchers if m.name == "__name__"), "")
    labels = labels_of(name)
    matched = {m.name for m in matchers if matcher_operator(m) == "="} - {"__name__"}
    return None if labels is None else labels | matched


def _call(node: Any, labels_of: LabelsOf) -> frozenset[str] | None:
    name = node.func.name
    arguments = list(node.args)
    if name in _NO_LABELS:
        return frozenset()
    if name in ("absent", "absent_over_time"):
        selector = arguments[0].vector_selector if kind(arguments[0]) == "MatrixSelector" else arguments[0]
        if kind(selector) != "VectorSelector":
            return frozenset()
        equal = (m.name for m in selector.matchers.matchers if matcher_operator(m) == "=")
        return frozenset(equal) - {"__name__"}
    vector = next((a for a in arguments if kind(a) not in ("NumberLiteral", "StringLiteral")), None)
    if vector is None:
        return frozenset()
    labels = possible(vector, labels_of)
    if labels is None:
        return None
    if name in ("label_replace", "label_join"):
        return labels | {arguments[1].val}
    return labels - {"le"} if name == "histogram_quantile" else labels


def _aggregate(node: Any, labels_of: LabelsOf) -> frozenset[str] | None:
    below = possible(node.expr, labels_of)
    name = operator(node)
    if name in ("topk", "bottomk", "limitk", "limit_ratio"):
        return below
    grouped: frozenset[str] | None = frozenset()
    if node.modifier is not None:
        listed = frozenset(node.modifier.labels)
        if str(node.modifier.type).endswith("By"):
            grouped = listed if below is None else listed & below
        else:
            grouped = None if below is None else below - listed
    if name == "count_values" and grouped is not None:
        grouped |= {node.param.val}
    return grouped


def _binary(node: Any, labels_of: LabelsOf) -> frozenset[str] | None:
    left, right = possible(node.lhs, labels_of), possible(node.rhs, labels_of)
    name = operator(node)
    if name in ("and", "unless"):
        return left
    if name == "or":
        return None if left is None or right is None else left | right
    if is_scalar(node.lhs):
        return right
    if is_scalar(node.rhs) or node.modifier is None:
        return left
    cardinality = str(node.modifier.card)
    listed = frozenset(node.modifier.group_labels or ())
    if cardinality.endswith("ManyToOne"):
        return None if left is None else left | listed
    if cardinality.endswith("OneToMany"):
        return None if right is None else right | listed
    matching = node.modifier.matching
    if matching is None or left is None:
        return left
    labels = frozenset(matching.labels)
    return left & labels if str(matching.type).endswith("Include") else left - labels


def is_scalar(node: Any) -> bool:
    name = kind(node)
    if name in ("ParenExpr", "UnaryExpr"):
        return is_scalar(node.expr)
    if name == "BinaryExpr":
        return is_scalar(node.lhs) and is_scalar(node.rhs)
    return name == "NumberLiteral" or (name == "Call" and node.func.name in ("scalar", "time", "pi"))


_BY_KIND: dict[str, Callable[[Any, LabelsOf], frozenset[str] | None]] = {
    "VectorSelector": _selector,
    "Call": _call,
    "AggregateExpr": _aggregate,
    "BinaryExpr": _binary,
}
