"""Codes that stay until the driver is loaded anew, and how to tell that one of them is new."""

from __future__ import annotations

from gpuobs.checks._hints import selector, told_apart
from gpuobs.checks._values import counts
from gpuobs.expressions import Expression
from gpuobs.promql import walk
from gpuobs.promql.nodes import Node, Select
from gpuobs.promql.shapes import Shape

# Labels in which an exporter repeats the code that is the value.
_OF_CODE = frozenset({"err_code", "err_msg"})


def is_picked(node: Node) -> bool:
    """Whether matchers let only some codes through, so that any comparison with 0 is one with these."""
    selectors = (each.selector for each in walk(node) if isinstance(each, Select))
    return any(m.label in _OF_CODE for selector in selectors for m in selector.matchers)


def level_hint(expression: Expression, node: Node, shape: Shape, code: float | None = None) -> str:
    """What tells that an error, or one with a code, is new."""
    selects = [each for each in walk(node) if isinstance(each, Select)]
    events = counts(expression, shape)
    if events and len(selects) == 1:
        return f"{_events(events, selects[0], code)} > 0, which counts every event"
    if isinstance(node, Select):
        return (
            f"{_anew(expression, node, code)} is true for 5 minutes; it misses a code that repeats"
        )
    return "count events over a window, such as changes() of the raw series"


def _events(name: str, select: Select, code: float | None) -> str:
    """The series that counts the events of a code, with the matchers that the level had."""
    of_code = [each for each in select.selector.matchers if each.label == "err_code"]
    wanted = [f'xid{each.op}"{each.value}"' for each in of_code]
    if code is not None:
        wanted = [f'xid="{code:g}"']
    rest = selector(select, without=_OF_CODE).removeprefix(select.selector.name)
    matchers = [*(wanted or ['xid!=""']), *filter(None, [rest[1:-1]])]
    return f"{name}{{{', '.join(matchers)}}}"


def _anew(expression: Expression, select: Select, code: float | None) -> str:
    """That a code is there and was not. With the code as a label a new one is a new series, without changes."""
    written = selector(select)
    compared = "!= 0" if code is None else f"== {code:g}"
    apart = told_apart(expression, expression.analysis[select])
    if apart and expression.analysis[select].labels.can_have("err_code"):
        before = f"{written} offset 5m {compared}"
        return f"{written} {compared} unless on ({', '.join(apart)}) {before}"
    return f"{written} {compared} and changes({written}[5m]) > 0"
