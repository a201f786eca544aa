"""Groups of an aggregation that have one series each."""

from __future__ import annotations

from gpuobs.promql.labelset import Labels
from gpuobs.promql.nodes import Aggregate, Call, Node, String, bare


def one_each(node: Aggregate, labels: Labels) -> bool:
    """Whether the labels that an aggregation keeps tell all series of its operand apart."""
    if labels.open:
        return False
    grouping = node.grouping
    names = frozenset(grouping.names if grouping is not None else ())
    without = grouping is not None and grouping.keyword == "without"
    kept = labels.possible - names if without else names
    told = kept | {source for copy, source in _copies(node.expr) if copy in kept}
    return labels.possible <= told | _constant(labels)


def _constant(labels: Labels) -> frozenset[str]:
    """Labels that have the same value in every series."""
    return frozenset(k for k in labels.certain if len(labels.values.get(k, ())) == 1)


def _copies(node: Node) -> list[tuple[str, str]]:
    """Labels that `label_replace` makes as copies of others, with those. Later ones do not touch earlier ones."""
    found: list[tuple[str, str]] = []
    node = bare(node)
    while isinstance(node, Call) and node.name == "label_replace":
        target, replacement, source, pattern = (
            each.value if isinstance(each, String) else "" for each in node.args[1:]
        )
        changed = {name for name, _ in found}
        if (replacement, pattern) == ("$1", "(.*)") and not {target, source} & changed:
            found.append((target, source))
        node = bare(node.args[0])
    return found
