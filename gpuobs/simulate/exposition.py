"""A target's page in Prometheus' text format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpuobs.simulate.entities import Holder, Series, Target
from gpuobs.simulate.incidents import Incident
from gpuobs.simulate.values import Value, text, value_of
from gpuobs.spec.model import Metric

_TYPES = {"counter": "counter", "histogram": "histogram", "summary": "summary"}


@dataclass
class _Line:
    """One series' line, all of it but the value; the pod in it is looked up when another one comes."""

    head: bytes
    workload: tuple[tuple[str, str], ...]
    holder: Holder | None
    value: Value
    until: float = 0
    prefix: bytes = b""

    def at(self, time: float) -> bytes:
        if time >= self.until:
            self._renew(time)
        return self.prefix + text(self.value(time)) + b"\n"

    def _renew(self, time: float) -> None:
        if self.holder is None:
            self.until, self.prefix = float("inf"), self.head + b"} "
            return
        holder = self.holder
        values = {"namespace": holder.namespace, "pod": holder.pod(time), "container": "main"}
        pairs = [f'{label}="{values.get(kind, "")}"' for label, kind in self.workload]
        joint = b"," if not self.head.endswith(b"{") else b""
        self.prefix = self.head + joint + ",".join(pairs).encode() + b"} "
        self.until = time + holder.lifetime - (time + holder.phase) % holder.lifetime


class Page:
    """What one target answers, made once and filled with values at each scrape."""

    def __init__(
        self, target: Target, incidents: Sequence[Incident], limits: frozenset[str]
    ) -> None:
        self._parts: list[bytes | _Line] = []
        family = ""
        for series, value in _struck(target, incidents, limits):
            if series.metric.name != family:
                family = str(series.metric.name)
                self._parts.append(_header(series.metric, series.name))
            self._parts.append(_line(target, series, value))

    def at(self, time: float) -> bytes:
        """The page at a time in seconds."""
        return b"".join(part if isinstance(part, bytes) else part.at(time) for part in self._parts)


def _struck(
    target: Target, incidents: Sequence[Incident], limits: frozenset[str]
) -> Iterator[tuple[Series, Value]]:
    for series in target.series:
        found = [(series, value_of(series, limits))]
        for incident in incidents:
            if incident.change is not None and incident.strikes(series.entity):
                found = [pair for each in found for pair in incident.change(*each)]
        yield from found


def _header(metric: Metric, name: str) -> bytes:
    family = name.removesuffix("_bucket") if metric.kind == "counter" else name
    kind = "histogram" if name.endswith("_bucket") else _TYPES.get(metric.kind, "gauge")
    help_ = metric.help.replace("\\", "\\\\").replace("\n", "\\n")
    return f"# HELP {family} {help_}\n# TYPE {family} {kind}\n".encode()


def _line(target: Target, series: Series, value: Value) -> _Line:
    labels = ",".join(f'{name}="{_escaped(value)}"' for name, value in series.labels)
    workload = target.exporter.catalog.workload_labels if series.holder else ()
    head = f"{series.name}{{{labels}".encode()
    return _Line(head, tuple((str(label), str(label)) for label in workload), series.holder, value)


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
