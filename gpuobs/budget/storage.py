"""What it takes to keep series and samples: memory, disk and object storage. Every factor has its source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rate:
    """A factor of the arithmetic that no spec says: what one series or sample takes."""

    value: float
    unit: str
    what: str
    source: str


HEAD_HOURS = Rate(
    3,
    "hours",
    "a series that ended stays in Prometheus' head, at most",
    "prometheus tsdb/db.go: DefaultBlockDuration is 2 h, and head.compactable() waits for one and a half of them",
)
SERIES_IN_HEAD = Rate(
    3_000,
    "bytes",
    "memory of one series in Prometheus' head, its samples and remote write included",
    "robustperception.io, Why does Prometheus use so much RAM: about 3 kB from version 2.20 on; queries come on top",
)
SAMPLE_ON_DISK = Rate(
    2,
    "bytes",
    "one sample in Prometheus' blocks",
    "prometheus.io/docs/prometheus/latest/storage: 1 to 2 bytes on average, of which the upper end is taken",
)
SERIES_IN_INGESTER = Rate(
    2.5e9 / 300_000,
    "bytes",
    "memory of one series in one of Mimir's ingesters",
    "grafana.com/docs/mimir, Planning Grafana Mimir capacity: 2.5 GB for 300,000 series in memory",
)
SAMPLE_IN_STORE = Rate(
    2,
    "bytes",
    "one sample in the long-term store's blocks, which have the format of Prometheus'",
    "prometheus.io/docs/prometheus/latest/storage: 1 to 2 bytes on average, of which the upper end is taken",
)
RATES = (HEAD_HOURS, SERIES_IN_HEAD, SAMPLE_ON_DISK, SERIES_IN_INGESTER, SAMPLE_IN_STORE)

HEAD_SECONDS = HEAD_HOURS.value * 3600
