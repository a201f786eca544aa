"""The graph for a terminal: the trees around a name, or all of it as trees or, where that is long, as counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from gpuobs.graph import KINDS, Graph, Node

_FEW = 40  # nodes whose trees fit on a screen
_STRANGE = "no exporter of the fleet"
_MORE = (
    "'gpuobs graph NAME' shows what feeds a name and who uses it, "
    "'gpuobs graph --unused' what nobody uses."
)

Ways = Mapping[Node, tuple[Node, ...]]


def whole(graph: Graph) -> str:
    """All that is in use."""
    used = graph.in_use
    if not used.nodes:
        return "there is no rule and no alert"
    return "\n".join(_trees(used) if len(used.nodes) <= _FEW else _counts(graph, used))


def around(graph: Graph, nodes: Sequence[Node]) -> str:
    """What feeds each node, and who uses it."""
    return "\n\n".join("\n".join(_story(graph, node)) for node in nodes)


def _story(graph: Graph, node: Node) -> Iterator[str]:
    yield _line(graph, node)
    above, below = graph.above([node]) - {node}, graph.below([node]) - {node}
    if graph.feeders[node]:
        yield f"fed by {_counted(above)}:"
        yield from _branches(graph, node, graph.feeders)
    elif node.kind != "metric":
        yield "fed by nothing"
    if graph.users[node]:
        yield f"used by {_counted(below)}:"
        yield from _branches(graph, node, graph.users)
    elif node.kind not in ("alert", "receiver"):
        yield "used by no rule and no alert; dashboards are not known here"


def _counted(nodes: Collection[Node]) -> str:
    counts = Counter(node.kind for node in nodes)
    words = [
        f"{counts[kind]} {kind if counts[kind] == 1 else kind + 's'}"
        for kind in KINDS
        if counts[kind]
    ]
    return ", ".join(words) or "itself"


def _trees(graph: Graph) -> Iterator[str]:
    """Each node that nothing feeds, with all that uses it below it."""
    seen: set[Node] = set()
    roots = [node for node in graph.nodes if not graph.feeders[node]]
    for node in (*roots, *graph.nodes):
        if node not in seen:
            yield _line(graph, node)
            yield from _branches(graph, node, graph.users, seen)


def _branches(
    graph: Graph, start: Node, ways: Ways, seen: set[Node] | None = None
) -> Iterator[str]:
    """The tree below a node, each part of it once, without recursion: a chain of rules may be long."""
    seen = set() if seen is None else seen
    seen.add(start)
    path = [start]
    todo = [iter(ways[start])]
    while todo:
        node = next(todo[-1], None)
        if node is None:
            todo.pop()
            path.pop()
            continue
        again = node in seen and bool(ways[node])
        mark = "  (in a circle)" if again and node in path else "  (see above)" if again else ""
        yield "  " * len(path) + _line(graph, node) + mark
        if not again:
            seen.add(node)
            path.append(node)
            todo.append(iter(ways[node]))


def _line(graph: Graph, node: Node) -> str:
    place = f"{node.span.file}:{node.span.line}" if node.span is not None else ""
    told = {"metric": _home(node), "receiver": ""}.get(node.kind, place)
    if node.kind == "signal" and not graph.users[node]:
        told = ", ".join(filter(None, [told, "no rollup records it"]))
    return f"{node.kind} {node.name}" + (f"  ({told})" if told else "")


def _counts(graph: Graph, used: Graph) -> Iterator[str]:
    """A table: each exporter, document and receiver, what of it is in use, and the alerts that hang on it."""
    rows = [("", "in use", "alerts on it")]
    for kind in KINDS:
        nodes = [node for node in used.nodes if node.kind == kind]
        rows.append((f"{kind}s", _share(nodes, [n for n in graph.nodes if n.kind == kind]), ""))
        for home in sorted({_home(node) for node in nodes}):
            here = [node for node in nodes if _home(node) == home]
            all_ = [node for node in graph.nodes if node.kind == kind and _home(node) == home]
            share = "" if kind == "receiver" else _share(here, all_)
            rows.append((f"  {home}", share, _alerts(used, here)))
    yield from _table(rows)
    yield ""
    yield _MORE


def _share(nodes: Sequence[Node], all_: Sequence[Node]) -> str:
    return f"{len(nodes)}" + (f" of {len(all_)}" if len(all_) != len(nodes) else "")


def _home(node: Node) -> str:
    return node.name if node.kind == "receiver" else node.home or _STRANGE


def _alerts(graph: Graph, nodes: Sequence[Node]) -> str:
    ways = graph.above if nodes[0].kind == "receiver" else graph.below
    return str(sum(node.kind == "alert" for node in ways(nodes)))


def _table(rows: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    width = max(len(first) for first, _, _ in rows)
    for first, second, third in rows:
        yield f"{first:<{width}}  {second:>9}  {third:>12}".rstrip()
