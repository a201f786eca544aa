"""A target's page in Prometheus' text format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gpuobs.simulate.entities import Holder, Target
from gpuobs.simulate.incidents import Pair
from gpuobs.simulate.series import Family, Series
from gpuobs.simulate.values import Value, text

_TYPES = {"counter": "counter", "histogram": "histogram", "summary": "summary"}


class _Labels:
    """The labels of some series of one entity, with those of the pod that holds it at a time."""

    __slots__ = ("_holder", "_own", "_text", "_until", "_workload")

    def __init__(self, own: str, workload: Sequence[str], holder: Holder | None) -> None:
        self._own, self._workload, self._holder = own, workload, holder
        self._until = 0.0 if holder else float("inf")
        self._text = f"{own}}} ".encode()

    def at(self, time: float) -> bytes:
        """As they stand before a value, the brace that closes them included."""
        if time >= self._until and self._holder:
            holder = self._holder
            values = {"namespace": holder.namespace, "pod": holder.pod(time), "container": "main"}
            pairs = [f'{label}="{values.get(label, "")}"' for label in self._workload]
            joined = ",".join([*([self._own] if self._own else []), *pairs])
            self._text = f"{joined}}} ".encode()
            self._until = time + holder.lifetime - (time + holder.phase) % holder.lifetime
        return self._text


class Page:
    """What one target answers, made once and filled with values at each scrape."""

    def __init__(self, target: Target, found: Iterable[Pair]) -> None:
        self._parts: list[bytes | tuple[bytes, _Labels, Value]] = []
        shared: dict[object, _Labels] = {}
        family, name, start = "", "", b""
        for series, value in found:
            if series.family.name != family:
                family = series.family.name
                self._parts.append(_header(series.family))
            if series.name != name:
                name, start = series.name, f"{series.name}{{".encode()
            workload = _workload(target, series)
            key = (series.labels, workload, series.holder)
            labels = shared.get(key)
            if labels is None:
                own = ",".join(f'{label}="{_escaped(value)}"' for label, value in series.labels)
                labels = shared[key] = _Labels(own, workload, series.holder)
            self._parts.append((start, labels, value))

    def at(self, time: float) -> bytes:
        """The page at a time in seconds."""
        return b"".join(self._pieces(time))

    def _pieces(self, time: float) -> Iterator[bytes]:
        for part in self._parts:
            if isinstance(part, bytes):
                yield part
            else:
                name, labels, value = part
                yield name
                yield labels.at(time)
                yield text(value(time))


def _workload(target: Target, series: Series) -> tuple[str, ...]:
    """Labels of the pod that the series carries: of what is about pods those that all of it has."""
    if series.holder is None:
        return ()
    catalog = target.exporter.catalog
    about = catalog.workload_always.get(series.metric.per, catalog.workload_labels)
    return tuple(map(str, about))


def _header(family: Family) -> bytes:
    help_ = family.help.replace("\\", "\\\\").replace("\n", "\\n")
    kind = _TYPES.get(family.kind, "gauge")
    return f"# HELP {family.name} {help_}\n# TYPE {family.name} {kind}\n".encode()


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
