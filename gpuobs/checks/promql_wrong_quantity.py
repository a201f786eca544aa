"""A metric taken for another quantity.

`DCGM_FI_DEV_MEM_COPY_UTIL` and `gpu_umc_activity` are shares of time in which memory was read or
written, not of memory in use: a GPU whose memory is full shows 2 % while nothing runs. A rule that
speaks of memory that is used or full and reads them is silent until the process dies. Rules that
also speak of bandwidth or copies are left alone, and so are those that read the memory in use too.

DCGM's counters are the driver's: they go on when the exporter restarts, so `resets()` of them says nothing of it.

Bad:

```yaml
rules:
  - record: gpu:memory_used:percent
    expr: DCGM_FI_DEV_MEM_COPY_UTIL
    unit: percent
```

Good:

```yaml
rules:
  - record: gpu:memory_used:percent
    expr: 100 * DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE)
    unit: percent
```
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuobs.checks._texts import words
from gpuobs.checks._values import collected
from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import Expression, expressions
from gpuobs.ir import Program
from gpuobs.promql.nodes import Call, Select

CODE = "promql/wrong-quantity"
SEVERITY = "warning"

_MEMORY = frozenset({"memory", "mem", "vram", "framebuffer", "fb", "hbm"})
_IN_USE = frozenset(
    {"used", "usage", "use", "full", "occupancy", "occupied", "allocated", "oom", "capacity"}
)
_EXPORTER = frozenset({"exporter", "dcgm"})
_RESTART = frozenset(
    {"restart", "restarts", "restarted", "crash", "crashed", "crashes", "crashing"}
)
_DRIVER = frozenset(
    {"driver", "reset", "resets", "reload", "reloaded", "reboot", "rebooted", "node"}
)
_ACTIVITY = frozenset(
    {"bandwidth", "copy", "controller", "bus", "interface", "active", "activity", "busy", "access"}
)


@dataclass(frozen=True, slots=True)
class _Activity:
    """What a metric is, and what says how much memory is in use."""

    instead: str
    amounts: frozenset[str]


_TIMES = {
    "DCGM_FI_DEV_MEM_COPY_UTIL": _Activity(
        "100 * DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE)",
        frozenset({"DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE", "DCGM_FI_DEV_FB_USED_PERCENT"}),
    ),
    "gpu_umc_activity": _Activity(
        "100 * gpu_used_vram / gpu_total_vram", frozenset({"gpu_used_vram", "gpu_free_vram"})
    ),
}


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        yield from _restarts(expression)
        for node, activity in _read(expression):
            told = words(expression)
            if told & _MEMORY and told & _IN_USE and not told & _ACTIVITY:
                message = (
                    f"'{node.selector.name}' is the share of time in which memory was read or "
                    "written, not of memory in use"
                )
                place = node.selector.name_start, node.selector.name_end
                yield expression.warning(place, CODE, message, activity.instead)


def _restarts(expression: Expression) -> Iterator[Diagnostic]:
    """Resets of counters that the driver keeps, where a rule speaks of restarts of the exporter."""
    for call in expression.analysis.of(Call):
        if call.name != "resets" or not isinstance(call.args[0], Select):
            continue
        found = collected(expression, expression.analysis[call.args[0]])
        told = words(expression)
        if found is None or found.metric.field_id is None:
            continue
        if told & _EXPORTER and told & _RESTART and not told & _DRIVER:
            message = f"'{found.name}' is counted by the driver: it begins again with it, and not with the exporter"
            job = found.exporter.spec.job
            hint = f'changes(process_start_time_seconds{{job="{job}"}}[5m]) > 0'
            yield expression.warning(call, CODE, message, hint)


def _read(expression: Expression) -> Iterator[tuple[Select, _Activity]]:
    selected = expression.analysis.of(Select)
    names = {node.selector.name for node in selected}
    for node in selected:
        activity = _TIMES.get(node.selector.name)
        if activity is not None and names.isdisjoint(activity.amounts):
            yield node, activity
