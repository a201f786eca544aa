"""What hints of several checks write in the place of what is wrong: PromQL that can be pasted."""

from __future__ import annotations

from collections.abc import Iterable

from gpuobs import names
from gpuobs.expressions import Expression
from gpuobs.promql.nodes import Select
from gpuobs.promql.shapes import Shape

_AGO = "15m"


def told_apart(expression: Expression, shape: Shape) -> tuple[str, ...]:
    """The labels that tell GPUs apart whichever pod holds them: the UUID, or the node and the index."""
    policy = expression.program.policy
    assert policy is not None
    used = [each for each in policy.exporters if each.catalog.name in shape.scope]
    if len(used) != 1 or not used[0].catalog.vendor:
        return ()
    for wanted in ((names.GPU_UUID,), (names.NODE, names.GPU)):
        found = tuple(used[0].label(each) or "" for each in wanted)
        if shape.labels.certain.issuperset(found):
            return found
    return ()


def selector(select: Select, without: Iterable[str] = ()) -> str:
    """A selector on one line, without the matchers on some labels."""
    wanted = [each for each in select.selector.matchers if each.label not in without]
    matchers = ", ".join(f"{each.label}{each.op}{_quoted(each.value)}" for each in wanted)
    return f"{select.selector.name}{{{matchers}}}" if matchers else select.selector.name


def gone(
    expression: Expression, select: Select, keep: str = "", without: Iterable[str] = ()
) -> str:
    """Series that were there and are not now: of a GPU one, whichever pods had it; of a target its `up`."""
    written = selector(select, without)
    if select.selector.name == "up":
        return f"{written} == 0"
    shape = expression.analysis[select]
    apart = told_apart(expression, shape)
    if not apart:
        return f"{written} offset {_AGO} unless {written}"
    policy = expression.program.policy
    assert policy is not None
    exporter = policy.collected[select.selector.name].exporter
    of_gpu = (exporter.label(names.NODE), exporter.label(names.GPU), *apart, keep)
    by = dict.fromkeys(each for each in of_gpu if each and shape.labels.can_have(each))
    on = ", ".join(apart)
    return f"max by ({', '.join(by)}) ({written} offset {_AGO}) unless on ({on}) {written}"


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
