"""Catalogs: what exporters write, vendor-neutral signals over it, and GPU models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from gpuobs.spec.model.base import Doc, Item, Spec
from gpuobs.spec.scalars import (
    Identifier,
    LabelName,
    MetricName,
    MigProfile,
    Name,
    PromQL,
    Version,
)

MetricKind = Literal[
    "gauge",
    "counter",
    "rate",
    "code",
    "latched-code",
    "boolean",
    "bitmask",
    "info",
    "histogram",
    "summary",
    "label",
]
Per = Literal[
    "gpu",
    "slice",
    "link",
    "switch",
    "cpu",
    "cpu-core",
    "nic",
    "vgpu",
    "node",
    "pod",
    "container",
    "target",
    "global",
]
Unit = Literal[
    "",
    "ratio",
    "percent",
    "bytes",
    "mebibytes",
    "megabytes",
    "kilobytes",
    "bytes-per-second",
    "1024000-bytes-per-second",
    "kibibytes-per-second",
    "gigabytes-per-second",
    "megabits-per-second",
    "gigatransfers-per-second",
    "hertz",
    "megahertz",
    "celsius",
    "watts",
    "joules",
    "millijoules",
    "microjoules",
    "seconds",
    "milliseconds",
    "microseconds",
    "nanoseconds",
    "unix-seconds",
    "volts",
    "millivolts",
    "amperes",
    "milliamperes",
    "cycles",
    "events",
    "errors",
    "rows",
    "pages",
    "banks",
    "packets",
    "samples",
    "series",
    "gpus",
    "nodes",
    "links",
    "lanes",
    "pods",
    "count",
    "code",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric(Item):
    """One metric that an exporter writes."""

    name: Annotated[
        MetricName, Doc("Its name, as the shipped configuration of the exporter spells it.")
    ]
    field_id: Annotated[
        int | None, Doc("The vendor's number for it: its identity, whatever the name.")
    ] = None
    aliases: Annotated[
        tuple[MetricName, ...], Doc("Other spellings that the exporter accepts and then writes.")
    ] = ()
    aliases_since: Annotated[
        Version, Doc("First exporter version that accepts `aliases`, if not the catalog's.")
    ] = Version("")
    help: Annotated[str, Doc("What it measures.")] = ""
    kind: Annotated[MetricKind, Doc("What its values mean, which may differ from the TYPE line.")]
    unit: Annotated[Unit, Doc("Unit of its values.")] = ""
    range: Annotated[
        tuple[float | None, float | None] | None,
        Doc(
            "Lowest and highest value it can have; null where there is no bound. Values beyond are blanks that leak."
        ),
    ] = None
    integer: Annotated[bool, Doc("Whether it only has whole values.")] = False
    sentinel: Annotated[
        Literal["", "blank", "spike"],
        Doc(
            "What was seen beyond `range` in practice: a blank, which stays where a board has no such sensor, or spikes, "
            "which pass."
        ),
    ] = ""
    per: Annotated[
        Per,
        Doc(
            "What one series stands for. Under MIG the value of a `gpu` is the board's, repeated on the series of every "
            "instance; a `slice` has its own."
        ),
    ] = "gpu"
    labels: Annotated[tuple[LabelName, ...], Doc("Labels beyond those of the entity.")] = ()
    sometimes: Annotated[
        tuple[LabelName, ...], Doc("Those of `labels` that some of its series do not have.")
    ] = ()
    label_prefixes: Annotated[
        tuple[LabelName, ...],
        Doc("How labels begin that are not known by name, such as `label_` of those of a pod."),
    ] = ()
    values: Annotated[
        Mapping[LabelName, tuple[str, ...]],
        Doc("Label to every value that it can have, where these are known."),
    ] = field(default_factory=dict)
    each: Annotated[
        Mapping[LabelName, int],
        Doc(
            "Label to the number of values of which one entity has a series each, at the same time; 0 where nothing bounds "
            "it. Other labels follow the entity: it has one value at a time."
        ),
    ] = field(default_factory=dict)
    on_event: Annotated[
        bool, Doc("Whether an entity has no series of it until something happens.")
    ] = False
    patterns: Annotated[
        Mapping[LabelName, str],
        Doc(
            "Label to a regular expression that each of its values meets, where they are not listed."
        ),
    ] = field(default_factory=dict)
    bits: Annotated[
        Mapping[str, int], Doc("Of a bitmask: meaning to the value of its bit, a power of two.")
    ] = field(default_factory=dict)
    rest: Annotated[
        tuple[MetricName, ...],
        Doc("Of a part of a whole: the other parts, over which it is no share."),
    ] = ()
    whole: Annotated[
        MetricName | None,
        Doc("Of a part of a whole: the whole. Without it the whole is the part and `rest`."),
    ] = None
    fault: Annotated[
        bool, Doc("Whether each single event that it tells of is a fault, however rare they are.")
    ] = False
    limits: Annotated[
        tuple[MetricName, ...],
        Doc("Of a quantity that is held down: metrics with its limit, which it passes by little."),
    ] = ()
    counted_by: Annotated[
        tuple[MetricName, ...], Doc("Of a code that stays: metrics that count its events.")
    ] = ()
    traps: Annotated[
        tuple[str, ...], Doc("How it is misread, and what to do instead; a sentence or two each.")
    ] = ()
    groups: Annotated[tuple[str, ...], Doc("Named groups of the catalog that it belongs to.")] = ()
    unsupported: Annotated[
        tuple[str, ...], Doc("Where it does not exist: `mig`, an architecture, or a GPU model.")
    ] = ()
    since: Annotated[Version, Doc("First exporter version that has it.")] = Version("")
    source: Annotated[str, Doc("Where this is documented.")] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelChange(Item):
    """Labels that a newer version of the exporter renamed or added."""

    since: Annotated[Version, Doc("First version with the new names.", non_empty=True)]
    rename: Annotated[Mapping[LabelName, LabelName], Doc("Old label to new label.")] = field(
        default_factory=dict
    )
    add: Annotated[tuple[LabelName, ...], Doc("Labels that older versions do not write.")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistaken(Item):
    """Names that circulate and that no supported version writes."""

    names: Annotated[Mapping[MetricName, MetricName], Doc("Name to the right one.", non_empty=True)]
    why: Annotated[str, Doc("What the names are; empty for slips.")] = ""
    source: Annotated[str, Doc("Where they are found.", non_empty=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shipped(Item):
    """Where an exporter is found as its makers ship it."""

    namespace: Annotated[Name | None, Doc("Namespace of its Service, if that is fixed.")] = None
    selector: Annotated[Mapping[str, str], Doc("Labels of its Service.")] = field(
        default_factory=dict
    )
    port: Annotated[str, Doc("Name of the Service's port.")] = ""
    port_number: Annotated[int, Doc("Number of the port.", minimum=1)]
    path: Annotated[str, Doc("Path of its metrics.")] = "/metrics"
    source: Annotated[str, Doc("Where this is documented.", non_empty=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Multiplexed(Item):
    """Metrics that some hardware cannot sample at the same time."""

    on: Annotated[tuple[str, ...], Doc("Architectures or GPU models.", non_empty=True)]
    groups: Annotated[
        tuple[tuple[MetricName, ...], ...],
        Doc("Metrics that go together: one group is sampled at a time. Empty: all go together."),
    ] = ()
    source: Annotated[str, Doc("Where this is documented.", non_empty=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricCatalog(Spec):
    """What an exporter writes."""

    vendor: Annotated[
        Literal["nvidia", "amd", "intel", ""],
        Doc("Vendor of the GPUs it reports; empty for others."),
    ] = ""
    versions: Annotated[
        tuple[str, ...],
        Doc("Its known versions, oldest first; the fleet's `version` is compared with them."),
    ] = ()
    identity: Annotated[
        Mapping[LabelName, LabelName],
        Doc("Canonical label to the label that the exporter writes, such as `node: Hostname`."),
    ] = field(default_factory=dict)
    entity_labels: Annotated[
        Mapping[str, tuple[LabelName, ...]],
        Doc("Labels of its series, by what one stands for (`per`)."),
    ] = field(default_factory=dict)
    sometimes: Annotated[
        Mapping[str, tuple[LabelName, ...]],
        Doc("Labels, of the entity and of metrics, that some series do not have, by `per`."),
    ] = field(default_factory=dict)
    workload_labels: Annotated[
        tuple[LabelName, ...],
        Doc("Labels that name the pod which holds the device, as the exporter writes them."),
    ] = ()
    workload_always: Annotated[
        Mapping[str, tuple[LabelName, ...]],
        Doc("Those of `workloadLabels` that every series has, by `per`; others come and go."),
    ] = field(default_factory=dict)
    aliases_since: Annotated[
        Version, Doc("First version that accepts the other spellings of its metrics.")
    ] = Version("")
    changes: Annotated[tuple[LabelChange, ...], Doc("Label names by version.")] = ()
    complete: Annotated[
        tuple[str, ...],
        Doc("Beginnings of names: it has every metric whose name begins so."),
    ] = ()
    mistaken: Annotated[
        tuple[Mistaken, ...], Doc("Names that are taken for metrics of this exporter.")
    ] = ()
    usual: Annotated[Shipped | None, Doc("Where the exporter is usually found.")] = None
    multiplexed: Annotated[
        tuple[Multiplexed, ...],
        Doc("Metrics that cannot be sampled at the same time, by hardware."),
    ] = ()
    metrics: Annotated[tuple[Metric, ...], Doc("The metrics.")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioOf(Item):
    """A ratio of two signals. Above the gpu level both are summed before they are divided."""

    of: Annotated[Identifier, Doc("The part.")]
    to: Annotated[Identifier, Doc("The whole, in the same unit.")]


SignalLevel = Literal["gpu", "node", "cluster"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal(Item):
    """One quantity with one unit, whoever reports it."""

    name: Annotated[Identifier, Doc("Its name, the middle part of recorded names.")]
    help: Annotated[str, Doc("What it is, in a sentence.", non_empty=True)]
    unit: Annotated[Unit, Doc("Its unit, a base unit.")]
    kind: Annotated[
        Literal["gauge", "counter"], Doc("A counter only becomes a rate or an increase.")
    ] = "gauge"
    range: Annotated[
        tuple[float | None, float | None] | None,
        Doc("Lowest and highest value; null where there is no bound."),
    ] = None
    by: Annotated[
        tuple[LabelName, ...],
        Doc("Labels beyond the GPU that tell its series apart, such as `xid`."),
    ] = ()
    sources: Annotated[
        Mapping[str, PromQL | tuple[PromQL, ...]],
        Doc(
            "Vendor to an expression over that vendor's metrics, in this signal's unit; or a list of them, of which the "
            "first whose metrics the fleet collects is taken."
        ),
    ] = field(default_factory=dict)
    ratio: Annotated[
        RatioOf | None, Doc("Instead of `sources`: the ratio of two other signals.")
    ] = None
    source: Annotated[str, Doc("Where this is documented.")] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalCatalog(Spec):
    """Vendor-neutral quantities over the exporters' metrics."""

    signals: Annotated[tuple[Signal, ...], Doc("The signals.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuModel(Item):
    """A GPU model: what bounds its metrics and how it can be cut."""

    name: Annotated[str, Doc("Name that a pool's `gpu` uses.", non_empty=True)]
    vendor: Annotated[Literal["nvidia", "amd", "intel"], Doc("Who makes it.")]
    model_label: Annotated[
        str, Doc("Value of its model label as the exporter writes it; empty if not confirmed.")
    ] = ""
    architecture: Annotated[str, Doc("Its architecture.")] = ""
    memory: Annotated[float, Doc("Nominal memory, in GB (1e9 bytes).", minimum=1)]
    framebuffer: Annotated[
        int | None, Doc("Memory that the driver reports in all, in MiB, where it was measured.")
    ] = None
    tdp: Annotated[float | None, Doc("Board power limit, in watts.")] = None
    max_operating: Annotated[
        float | None, Doc("Highest operating temperature, in degrees Celsius, where published.")
    ] = None
    slowdown: Annotated[
        float | None,
        Doc("Temperature at which it slows down, in degrees Celsius, where published."),
    ] = None
    shutdown: Annotated[
        float | None,
        Doc("Temperature at which it shuts down, in degrees Celsius, where published."),
    ] = None
    nvlinks: Annotated[int, Doc("NVLink links per GPU.", minimum=0)] = 0
    mig: Annotated[
        Mapping[MigProfile, int], Doc("MIG profile to the largest number of instances.")
    ] = field(default_factory=dict)
    mig_slices: Annotated[int, Doc("Compute slices that a whole GPU has under MIG.", minimum=0)] = 0
    unsupported: Annotated[
        tuple[MetricName, ...], Doc("Metrics that this model does not have.")
    ] = ()
    source: Annotated[str, Doc("Where this is documented.")] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuModels(Spec):
    """GPU models that pools can name."""

    models: Annotated[tuple[GpuModel, ...], Doc("The models.")]
