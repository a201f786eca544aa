"""What may go wrong with a fleet, by name: each incident changes some series of one target."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from gpuobs.diagnostics import EnvironmentProblem
from gpuobs.nearest import did_you_mean
from gpuobs.simulate.entities import Entity, Target
from gpuobs.simulate.series import Series
from gpuobs.simulate.values import Value

# A change gets a series and its value, and gives what is left of it: nothing, or series with their values.
Change = Callable[[Series, Value], Iterator[tuple[Series, Value]]]


@dataclass(frozen=True)
class Incident:
    """One incident on one node, or on one GPU of it; without a node on every target."""

    name: str
    node: str
    gpu: str
    change: Change | None  # None: the target does not answer

    def concerns(self, target: Target) -> bool:
        """Whether a target reports it."""
        return not self.node or target.name == self.node

    def strikes(self, entity: Entity) -> bool:
        """Whether it is on a thing."""
        return not self.gpu or entity.key.split("/", 1)[-1].split("/")[0] == f"gpu{self.gpu}"


def _gone(series: Series, value: Value) -> Iterator[tuple[Series, Value]]:
    if series.entity.kind not in ("gpu", "instance", "link"):
        yield series, value


def _without_profiling(series: Series, value: Value) -> Iterator[tuple[Series, Value]]:
    if "_PROF_" not in series.name:
        yield series, value


def _throttled(series: Series, value: Value) -> Iterator[tuple[Series, Value]]:
    name = series.name
    if re.search(r"THERM(AL)?_(VIOLATION|SLOWDOWN)|violation_.*thermal", name):
        yield series, lambda at: 5e8 * at
    elif series.metric.unit == "celsius" and series.metric.kind == "gauge":
        margin = series.metric.range is not None and (series.metric.range[0] or 0) < 0
        yield series, (lambda at: -2) if margin else (lambda at: 96)  # noqa: ARG005
    else:
        yield series, value


def _rising(pattern: str, per_second: float) -> Change:
    def change(series: Series, value: Value) -> Iterator[tuple[Series, Value]]:
        if re.search(pattern, series.name):
            yield series, lambda at: per_second * at
        else:
            yield series, value

    return change


def _level(pattern: str, level: float) -> Change:
    def change(series: Series, value: Value) -> Iterator[tuple[Series, Value]]:
        if re.search(pattern, series.name):
            yield series, lambda at: level  # noqa: ARG005
        else:
            yield series, value

    return change


def _xid(number: int) -> Change:
    def change(series: Series, value: Value) -> Iterator[tuple[Series, Value]]:
        said = {"err_code": str(number), "err_msg": f"XID {number}"}
        if series.name.endswith("XID_ERRORS"):
            labels = tuple(sorted({**dict(series.labels), **said}.items()))
            yield replace(series, labels=labels), lambda at: number  # noqa: ARG005
        elif "XID_ERRORS_COUNT" in series.name or "XID_ERRORS_TOTAL" in series.name:
            labels = tuple(sorted({**dict(series.labels), "xid": str(number)}.items()))
            yield replace(series, labels=labels), lambda at: 1  # noqa: ARG005
        elif (
            number == 79
        ):  # the GPU has fallen off the bus, and only what the driver counted is left
            yield from _gone(series, value)
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
    "ecc-dbe": ("an uncorrectable ECC error", _level(r"ECC_DBE_VOL|ecc_uncorrect", 1)),
    "row-remap-pending": ("a row waits to be remapped", _level(r"ROW_REMAP_PENDING", 1)),
    "row-remap-failed": ("a row could not be remapped", _level(r"ROW_REMAP_FAILURE", 1)),
    "nvlink-errors": ("NVLink errors rise", _rising(r"NVLINK.*(ERROR|REPLAY|RECOVERY|CRC)", 1)),
    "pcie-replays": ("PCIe replays rise", _rising(r"PCIE_REPLAY|pcie_replay", 5)),
    "idle": ("the GPU is held and does nothing", _level(r"UTIL|ACTIVE|activity|OCCUPANCY", 0)),
}


def catalogue() -> Iterator[tuple[str, str]]:
    """Every incident with what it is."""
    yield "xid-N", "the driver reports XID N; after XID 79 the GPU's series end"
    yield from ((name, what) for name, (what, _) in _INCIDENTS.items())


def incident(text: str, targets: tuple[Target, ...]) -> Incident:
    """An incident as it is given on the command line: `name@node`, `name@node/gpu3`, or `name` for every target."""
    name, _, place = text.partition("@")
    node, _, gpu = place.partition("/")
    nodes = {target.name: target for target in targets}
    if node and node not in nodes:
        raise EnvironmentProblem(
            f"no node '{node}': {did_you_mean(node, nodes) or 'see / of the server'}"
        )
    number = gpu.removeprefix("gpu")
    known = {
        entity.key.split("/")[1]
        for t in targets
        if t.name == node
        for entity in t.entities
        if "/" in entity.key
    }
    if gpu and f"gpu{number}" not in known:
        raise EnvironmentProblem(f"no GPU '{gpu}' on node '{node}': such as {node}/gpu0")
    xid = re.fullmatch(r"xid-([0-9]{1,3})", name)
    if xid:
        return Incident(name, node, number, _xid(int(xid[1])))
    if name not in _INCIDENTS:
        hint = did_you_mean(name, _INCIDENTS) or "--incidents lists them"
        raise EnvironmentProblem(f"no incident '{name}': {hint}")
    return Incident(name, node, number, _INCIDENTS[name][1])
