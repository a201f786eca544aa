"""What a server holds: series by metric, labels and their values, asked in a bounded number of cheap requests.

The names of all metrics come from one request. Where the server has Prometheus' TSDB status, or Mimir's cardinality API,
it counts the series of every metric from its index. Elsewhere each metric is counted by a query of its own, those that
the specs do not know first. Labels are looked at on one metric of each exporter.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gpuobs.live.client import Client, Refused, readable

# How long ago a series may have had its last sample and still be active: Prometheus' lookback.
LOOKBACK = 300
MOST_NAMES = 20_000
MOST_VALUES = 500
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_MIMIR_PAGE = 500  # the most that its cardinality API lists


@dataclass(frozen=True, kw_only=True)
class LabelSeen:
    """One label on the series of one metric: how many values it has, and some of them."""

    metric: str
    label: str
    count: int
    values: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Observed:
    """What was seen. `active` are series with a sample within the lookback, `head` those in the index or the head.

    `unasked` are metrics for which there was no time.
    """

    server: str
    names: tuple[str, ...]
    head: Mapping[str, int]
    active: Mapping[str, int]
    jobs: Mapping[str, Mapping[str, int]]
    labels: tuple[LabelSeen, ...]
    head_total: int | None = None
    unasked: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)  # metric to what the server said


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is to be looked at: series expected by metric, metrics whose labels are looked at, and a matcher."""

    expected: Mapping[str, int]
    samples: Mapping[str, tuple[str, ...]]  # metric to labels
    matcher: str = ""  # such as cluster="a", for a store of several clusters


Progress = Callable[[float, str], None]


def observe(client: Client, wanted: Wanted, progress: Progress) -> Observed:
    """Ask a server; what it refuses or has no time for is said, and the rest is there."""
    return _Observer(client, wanted, progress).observed()


@dataclass
class _Observer:
    client: Client
    wanted: Wanted
    progress: Progress
    refused: dict[str, str] = field(default_factory=dict)
    active: dict[str, int] = field(default_factory=dict)
    jobs: dict[str, dict[str, int]] = field(default_factory=dict)

    def observed(self) -> Observed:
        self.progress(0, "names")
        server = self._server()
        names = self._names()
        self.progress(0.05, "index")
        head, total = self._index(server)
        unasked = list(self._count(self._in_order(names, head)))
        labels = tuple(self._labels())
        self.progress(1, "")
        return Observed(
            server=server,
            names=names,
            head=head,
            active=self.active,
            jobs=self.jobs,
            labels=labels,
            head_total=total,
            unasked=tuple(unasked),
            refused=self.refused,
        )

    def _server(self) -> str:
        try:
            data = self.client.get("/api/v1/status/buildinfo")
        except Refused:
            return "a server with the Prometheus API"
        if not isinstance(data, dict):
            return "a server with the Prometheus API"
        application = data.get("application") or "Prometheus"
        return readable(f"{application} {data.get('version', '')}".strip())

    def _names(self) -> tuple[str, ...]:
        parameters = {"limit": str(MOST_NAMES)}
        if self.wanted.matcher:
            parameters["match[]"] = f"{{{self.wanted.matcher}}}"
        found = self.client.get("/api/v1/label/__name__/values", parameters)
        return tuple(_texts(found))[:MOST_NAMES]

    # Counts ----------------------------------------------------------------------------------------------------------

    def _index(self, server: str) -> tuple[dict[str, int], int | None]:
        """Series by metric as the index has them, where the server tells; the number of all."""
        if self.wanted.matcher:
            return {}, None
        try:
            return self._of_mimir() if "Mimir" in server else self._of_tsdb()
        except Refused:
            return {}, None

    def _of_tsdb(self) -> tuple[dict[str, int], int | None]:
        data = _mapping(self.client.get("/api/v1/status/tsdb", {"limit": str(MOST_NAMES)}))
        total = _mapping(data.get("headStats")).get("numSeries")
        return _counts(data.get("seriesCountByMetricName"), "name", "value"), _count(total)

    def _of_mimir(self) -> tuple[dict[str, int], int | None]:
        parameters = {"label_names[]": "__name__", "limit": str(_MIMIR_PAGE)}
        answer = _mapping(self.client.json("/api/v1/cardinality/label_values", parameters))
        labels = answer.get("labels")
        first = _mapping(labels[0]) if isinstance(labels, list) and labels else {}
        counts = _counts(first.get("cardinality"), "label_value", "series_count")
        return counts, _count(answer.get("series_count_total"))

    def _in_order(self, names: Iterable[str], head: Mapping[str, int]) -> list[str]:
        """Metrics to count, those first that the specs do not know, then those whose index is furthest off."""
        expected = self.wanted.expected

        def key(name: str) -> tuple[bool, int, str]:
            off = abs(head.get(name, 0) - expected.get(name, 0))
            return name in expected, -off, name

        return sorted(names, key=key)

    def _count(self, names: list[str]) -> Iterator[str]:
        """Active series of each metric; yields those for which there was no time."""
        for index, name in enumerate(names):
            if self.client.seconds_left < 1:
                yield name
                continue
            self.progress(0.05 + 0.85 * index / max(1, len(names)), name)
            selector = f"{{{_matchers(name, self.wanted.matcher)}}}"
            try:
                found = self.client.query(f"count by (job) ({selector})")
            except Refused as problem:
                self.refused[name] = str(problem)
                continue
            except TimeoutError:
                yield name
                continue
            self.jobs[name] = {labels.get("job", ""): round(value) for labels, value in found}
            self.active[name] = sum(self.jobs[name].values())

    # Labels ----------------------------------------------------------------------------------------------------------

    def _labels(self) -> Iterator[LabelSeen]:
        for metric, expected in self.wanted.samples.items():
            if metric not in self.active or self.client.seconds_left < 1:
                continue
            self.progress(0.95, metric)
            try:
                yield from self._labels_of(metric, expected)
            except Refused as problem:
                self.refused[metric] = str(problem)
            except TimeoutError:
                return

    def _labels_of(self, metric: str, expected: Iterable[str]) -> Iterator[LabelSeen]:
        selector = f"{{{_matchers(metric, self.wanted.matcher)}}}"
        names = self.client.get("/api/v1/labels", {"match[]": selector})
        for label in sorted({*expected, *_texts(names)} - {"__name__"}):
            if not _LABEL.fullmatch(label):
                continue
            values = self.client.query(f"group by ({label}) ({selector})")
            found = sorted(labels[label] for labels, _ in values if label in labels)
            yield LabelSeen(
                metric=metric, label=label, count=len(found), values=tuple(found[:MOST_VALUES])
            )


def _matchers(name: str, matcher: str) -> str:
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'__name__="{quoted}"' + (f",{matcher}" if matcher else "")


def _counts(listed: Any, key: str, value: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in listed if isinstance(listed, list) else ():
        name = _mapping(each).get(key)
        if isinstance(name, str):
            found[name] = _count(each.get(value)) or 0
    return found


def _count(value: Any) -> int | None:
    """A number of series; None where it is none."""
    is_number = isinstance(value, int | float) and math.isfinite(value)
    return max(0, int(value)) if is_number else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: Any) -> Iterator[str]:
    yield from (each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
