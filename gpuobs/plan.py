"""How samples come in and go on, in terms of no format: what each exporter collects, each Prometheus scrapes and sends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuobs import names
from gpuobs.promql.relabel import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One metric that an exporter is told to collect. `used` says whether a rule reads it, or it is only asked for."""

    name: str
    kind: str  # what its exporter's configuration calls its type
    help: str
    used: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldList:
    """All that one exporter of GPUs collects."""

    catalog: str
    vendor: str
    namespace: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a scrape may bring; None where it is not limited. `notes` are the sums, one a line."""

    samples: int | None = None
    labels: int | None = None
    label_name_length: int | None = None
    label_value_length: int | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrapeJob:
    """One exporter as one cluster's Prometheus scrapes it, found through its Service."""

    name: str
    job: str  # its series' label, which is the name unless two jobs have it
    catalog: str
    namespace: str
    selector: Mapping[str, str]
    port: str
    path: str
    scheme: str
    interval: str
    timeout: str
    honor_labels: bool
    pool_label: str  # of the node; empty where its series have no pool
    labels: Mapping[str, str]  # constant target labels
    metric_relabelings: tuple[Step, ...]
    limits: Limits
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Settings of a remote write's queue; `notes` are the sums."""

    samples_per_send: int
    capacity: int
    min_shards: int
    max_shards: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteWrite:
    """What a Prometheus sends to the long-term store: series whose whole names match `keep`, of no cluster in `others`."""

    name: str
    url: str
    headers: Mapping[str, str]
    keep: str
    others: str  # clusters, as a pattern; empty where there are none
    queue: Queue

    @property
    def steps(self) -> tuple[Step, ...]:
        """The relabelling that does it."""
        keep = Step(action="keep", sources=("__name__",), regex=self.keep)
        others = Step(action="drop", sources=(names.CLUSTER,), regex=self.others)
        return (keep, others) if self.others else (keep,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Federation:
    """What the central Prometheus scrapes of this cluster's."""

    interval: str
    timeout: str
    match: tuple[str, ...]
    limits: Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class PrometheusPlan:
    """One cluster's Prometheus, each of its replicas alike."""

    cluster: str
    replicas: int
    replica_label: (
        str  # by which the store tells replicas apart; empty where nothing may tell them apart
    )
    scrape_interval: str
    evaluation_interval: str
    rule_files: tuple[str, ...]
    jobs: tuple[ScrapeJob, ...]
    remote_write: RemoteWrite | None
    federation: Federation | None
    retention: str
    retention_bytes: int
    sidecar: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StorePlan:
    """Limits of the long-term store, by the names that it has for them, each with its sum."""

    kind: str
    tenant: str
    mode: str
    limits: Mapping[str, int | str | bool]
    notes: Mapping[str, str]
    retention: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionPlan:
    """All of it."""

    fields: tuple[FieldList, ...] = ()
    clusters: tuple[PrometheusPlan, ...] = ()
    store: StorePlan | None = field(default=None)
