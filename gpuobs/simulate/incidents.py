"""What may go wrong with a fleet, by name: each incident changes some series of the targets that it strikes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from gpuobs.diagnostics import EnvironmentProblem
from gpuobs.nearest import did_you_mean
from gpuobs.simulate.entities import Entity, Target
from gpuobs.simulate.series import Family, Series
from gpuobs.simulate.values import ABSENT, Value, steady
from gpuobs.spec.scalars import Duration

Pair = tuple[Series, Value]
# What is left of one series: nothing, itself with another value, or others in its place.
Change = Callable[[Series, Value, float], Iterator[Pair]]

_WINDOW = 300.0  # of dcgm-exporter's counts of XIDs and clock events, in seconds
_ROGUES = 1000
_HALF = {"nanoseconds": 5e8, "microseconds": 5e5}  # of a second


@dataclass(frozen=True)
class Incident:
    """One incident from a time on, on one GPU, on one node, or without a node on every target."""

    name: str
    node: str
    gpu: str
    since: float
    change: Change | None  # None: the target does not answer
    of_gpus: bool = False  # of a node's targets, those alone that report its GPUs

    def concerns(self, target: Target) -> bool:
        """Whether a target reports it."""
        if self.node and target.name != self.node:
            return False
        return not self.of_gpus or bool(target.exporter.catalog.vendor)

    def strikes(self, entity: Entity) -> bool:
        """Whether it is on a thing."""
        return not self.gpu or entity.board.partition("/")[2] == f"gpu{self.gpu}"

    def struck(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """What is left of a target's series."""
        first: Series | None = None
        for series, value in pairs:
            if self.change is None or not self.strikes(series.entity):
                yield series, value
                continue
            first = first or series
            yield from self.change(series, value, self.since)
        if self.name == "label-explosion" and first is not None:
            yield from _rogues(first)


def after(pairs: Iterable[Pair], incidents: Iterable[Incident]) -> Iterator[Pair]:
    """A target's series after incidents; of those that only an event brings, the ones that one did."""
    for incident in incidents:
        pairs = incident.struck(pairs)
    return ((series, value) for series, value in pairs if value is not ABSENT)


def _gone(series: Series, value: Value, since: float) -> Iterator[Pair]:  # noqa: ARG001
    if series.entity.kind not in ("gpu", "instance", "link"):
        yield series, value


def _untouched(series: Series, value: Value, since: float) -> Iterator[Pair]:  # noqa: ARG001
    yield series, value


def _rogues(series: Series) -> Iterator[Pair]:
    """A metric that somebody labelled with what has no end of values."""
    family = Family("gpu_requests_total", "counter", "requests by their number")
    for number in range(_ROGUES):
        labels = tuple(sorted({**dict(series.labels), "request_id": f"{number:08x}"}.items()))
        yield replace(series, name=family.name, family=family, labels=labels), steady(1)


def _without_profiling(series: Series, value: Value, since: float) -> Iterator[Pair]:  # noqa: ARG001
    if "_PROF_" not in series.name:
        yield series, value


def _throttled(series: Series, value: Value, since: float) -> Iterator[Pair]:
    metric = series.metric
    if re.search(r"THERM(AL)?_(VIOLATION|SLOWDOWN)|violation_.*thermal", series.name):
        half = metric.kind != "counter" and metric.unit == "percent"
        yield series, steady(50) if half else _more(value, _HALF.get(metric.unit, 1), since)
    elif metric.unit == "celsius" and metric.kind == "gauge" and "MAX_OP" not in series.name:
        margin = metric.range is not None and (metric.range[0] or 0) < 0
        yield series, steady(-2 if margin else 96)
    else:
        yield series, value


def _more(value: Value, per_second: float, since: float) -> Value:
    """A counter that rises faster from a time on."""
    return lambda at: value(at) + math.floor(per_second * max(0.0, at - since))


def _rising(pattern: str, per_second: float) -> Change:
    def change(series: Series, value: Value, since: float) -> Iterator[Pair]:
        struck = re.search(pattern, series.name) and value is not ABSENT
        yield series, _more(value, per_second, since) if struck else value

    return change


def _level(pattern: str, level: float) -> Change:
    def change(series: Series, value: Value, since: float) -> Iterator[Pair]:  # noqa: ARG001
        struck = re.search(pattern, series.name) and value is not ABSENT
        yield series, steady(level) if struck else value

    return change


def _down(series: Series, value: Value, since: float) -> Iterator[Pair]:
    """No traffic over NVLink, which tries to recover."""
    if re.search(r"NVLINK.*(BANDWIDTH|THROUGHPUT|BYTES)|xgmi_link", series.name):
        yield series, steady(0)
    elif re.search(r"NVLINK.*RECOVERY_ERROR", series.name):
        yield series, _more(value, 1, since)
    else:
        yield series, value


def _xid(number: int) -> Change:
    """A code that stays, and counts of it; the GPU has fallen off the bus with 79, and only these are left."""
    said = {"err_code": str(number), "err_msg": f"XID {number}"}

    def change(series: Series, value: Value, since: float) -> Iterator[Pair]:
        labels = dict(series.labels)
        if series.name.endswith(("DEV_XID_ERRORS", "DEV_XID_ERROR")):
            labels |= {label: text for label, text in said.items() if label in labels}
            yield replace(series, labels=tuple(sorted(labels.items()))), steady(number)
        elif series.name in ("DCGM_EXP_XID_ERRORS_COUNT", "DCGM_EXP_XID_ERRORS_TOTAL"):
            labels["xid"] = str(number)
            windowed = series.name.endswith("COUNT")
            count = (lambda at: float(at < since + _WINDOW)) if windowed else steady(1)
            yield replace(series, labels=tuple(sorted(labels.items()))), count
        elif number == 79:
            yield from _gone(series, value, since)
        else:
            yield series, value

    return change


_INCIDENTS: dict[str, tuple[str, Change | None]] = {
    "exporter-down": ("the exporter does not answer", None),
    "gpu-lost": ("the GPU's series end", _gone),
    "profiling-lock": (
        "another client holds the profiling lock: no DCGM_FI_PROF_*",
        _without_profiling,
    ),
    "thermal-throttle": ("hot, and throttled half of the time", _throttled),
    "power-brake": ("the power brake holds the clocks down", _rising(r"POWER_BRAKE", 5e8)),
    "ecc-dbe": ("an uncorrectable ECC error", _level(r"ECC_DBE_VOL|ecc_uncorrect_total", 1)),
    "row-remap-pending": ("a row waits to be remapped", _level(r"ROW_REMAP_PENDING", 1)),
    "row-remap-failed": ("a row could not be remapped", _level(r"ROW_REMAP_FAILURE", 1)),
    "nvlink-down": ("no traffic over NVLink, which tries to recover", _down),
    "nvlink-errors": ("NVLink errors rise", _rising(r"NVLINK.*(ERROR|REPLAY|RECOVERY|CRC)", 1)),
    "pcie-replays": ("PCIe replays rise", _rising(r"PCIE_REPLAY|pcie_replay", 5)),
    "idle": ("the GPU is held and does nothing", _level(r"UTIL|ACTIVE|activity|OCCUPANCY", 0)),
    "label-explosion": (f"a metric with {_ROGUES:,} values of a label on each target", _untouched),
}


def catalogue() -> Iterator[tuple[str, str]]:
    """Every incident with what it is."""
    yield "xid-N", "the driver reports XID N; after XID 79 the GPU's series end"
    yield from ((name, what) for name, (what, _) in _INCIDENTS.items())


def incident(text: str, targets: Iterable[Target], now: float = 0) -> Incident:
    """An incident as the command line gives it: `name@node/gpu3+5m`, of which only the name must be there."""
    rest, late, delay = text.partition("+")
    name, _, place = rest.partition("@")
    node, _, gpu = place.partition("/")
    at = [target for target in targets if target.name == node] if node else []
    _check_place(node, gpu, at, targets)
    if late and not re.match(Duration.pattern, delay):
        raise EnvironmentProblem(f"'{delay}' of '{text}' is no delay: such as +5m")
    since = now + Duration(delay).seconds
    xid = re.fullmatch(r"xid-([0-9]{1,3})", name)
    if not xid and name not in _INCIDENTS:
        hint = did_you_mean(name, _INCIDENTS) or "'gpuobs simulate --incidents' lists them"
        raise EnvironmentProblem(f"no incident '{name}': {hint}")
    change = _xid(int(xid[1])) if xid else _INCIDENTS[name][1]
    of_gpus = any(target.exporter.catalog.vendor for target in at)
    return Incident(name, node, gpu.removeprefix("gpu"), since, change, of_gpus)


def _check_place(node: str, gpu: str, at: Sequence[Target], targets: Iterable[Target]) -> None:
    """`at` are the targets on the node: its GPUs are reported by one of them."""
    if node and not at:
        nodes = list(dict.fromkeys(target.name for target in targets))
        hint = did_you_mean(node, nodes) or f"such as {nodes[0]}"
        raise EnvironmentProblem(f"no node '{node}': {hint}")
    if not gpu:
        return
    entities = [entity for target in at for entity in target.entities]
    known = dict.fromkeys(each.board for each in entities if each.kind in ("gpu", "instance"))
    if f"{node}/gpu{gpu.removeprefix('gpu')}" not in known:
        hint = f"it has {node}/gpu0 to gpu{len(known) - 1}" if known else "it has none"
        raise EnvironmentProblem(f"no GPU '{gpu}' on node '{node}': {hint}")
