"""The levels of a rollup, what is recorded at them, and the labels that each keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuobs import names
from gpuobs.diagnostics import Span
from gpuobs.ir import RecordingRule
from gpuobs.spec.model import Operations, Rollup, Signal
from gpuobs.spec.scalars import Duration, duration

LEVELS = ("gpu", "workload", "node", "cluster", "fleet")
PERCENTILES = ("p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99")
OPERATIONS = ("avg", "min", "max", "sum", "count", "rate", "increase", *PERCENTILES)
KEEPS: Mapping[str, tuple[str, ...]] = {
    "gpu": (
        names.CLUSTER,
        names.POOL,
        names.NODE,
        names.GPU,
        names.GPU_UUID,
        names.MODEL,
        names.VENDOR,
    ),
    "workload": (names.CLUSTER, names.NAMESPACE, names.POD),
    "node": (names.CLUSTER, names.POOL, names.NODE, names.MODEL, names.VENDOR),
    "cluster": (names.CLUSTER,),
    "fleet": (),
}
MAY_KEEP: Mapping[str, tuple[str, ...]] = {
    "gpu": (),
    "workload": (),
    "node": (),
    "cluster": (names.POOL, names.MODEL, names.VENDOR),
    "fleet": (names.CLUSTER, names.POOL, names.MODEL, names.VENDOR),
}
ADDITIVE = frozenset(
    "gpus bytes watts joules bytes-per-second count events errors rows pages banks packets seconds".split()
)


@dataclass(frozen=True, slots=True)
class Key:
    """What is recorded of a signal: one operation over one window at one level."""

    signal: str
    level: str
    operation: str
    window: Duration

    @property
    def token(self) -> str:
        """The last part of a recorded name, such as `avg5m` or `p10_5m`."""
        separator = "_" if self.operation in PERCENTILES else ""
        return f"{self.operation}{separator}{self.window}"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A planned series: its name, its labels, and the rules that write it (one a vendor, or one for all)."""

    key: Key
    record: str
    keeps: tuple[str, ...]
    rules: tuple[RecordingRule, ...]
    vendors: tuple[str, ...]
    samples: float = 0  # that one evaluation loads for one GPU, where the window is taken here


def declared(rollup: Rollup) -> Iterator[tuple[str, Operations]]:
    """The levels at which a rollup records something."""
    for level in LEVELS:
        operations = getattr(rollup.levels, level)
        if operations is not None:
            yield level, operations


def wanted(operations: Operations) -> Iterator[tuple[str, Duration, Span]]:
    """Operations and windows as written, shorter windows first so that longer ones can build on them."""
    for operation in OPERATIONS:
        windows = getattr(operations, operation)
        for index in sorted(range(len(windows)), key=lambda i: windows[i].seconds):
            place = operations.where(operation, index)
            yield operation, duration(windows[index].seconds), place


def value_range(
    signal: Signal, operation: str, level: str
) -> tuple[float | None, float | None] | None:
    """Range of a reduced signal: sums have no upper end, the rate of seconds is a share of time."""
    if operation == "count":
        return 0, None
    if operation in ("rate", "increase"):
        share = operation == "rate" and signal.unit == "seconds" and level == "gpu"
        return 0, (1 if share else None)
    if signal.range is None or operation != "sum":
        return signal.range
    return (0 if signal.range[0] is not None and signal.range[0] >= 0 else None), None
