"""The language: one frozen dataclass for each thing an author can write.

The JSON Schema, the reading of specs and docs/spec.md are all generated from these classes. A field's `Doc` is its
documentation; a YAML key is the field's name in camelCase, without a trailing underscore.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from gpuobs.diagnostics import Span
from gpuobs.spec.node import Node
from gpuobs.spec.scalars import (
    AlertName,
    CheckCode,
    Duration,
    Identifier,
    LabelName,
    MetricName,
    MigProfile,
    Name,
    PrometheusVersion,
    PromQL,
    Retention,
    Sentence,
    Version,
)


@dataclass(frozen=True, slots=True)
class Doc:
    """A field's documentation; `minimum` and `non_empty` bound its value."""

    text: str
    minimum: float | None = None
    non_empty: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Anything that was written somewhere: it keeps the YAML that was written, and so its place."""

    written: Node = field(compare=False, repr=False)

    @property
    def span(self) -> Span:
        return self.written.span

    def where(self, *path: str | int) -> Span:
        """The place of a value below this item, by YAML keys."""
        return self.written.at(*path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec(Item):
    """What every document has. `kind` is the class's name."""

    name: Annotated[Name, Doc("Name of this document, unique among its kind.")]
    description: Annotated[str, Doc("What this document is for, in a sentence.")] = ""


# Fleet ---------------------------------------------------------------------------------------------------------------


RelabelAction = Literal[
    "replace",
    "keep",
    "drop",
    "keepequal",
    "dropequal",
    "hashmod",
    "labelmap",
    "labeldrop",
    "labelkeep",
    "lowercase",
    "uppercase",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Relabeling(Item):
    """One step of relabelling, as the Prometheus operator spells it."""

    action: Annotated[RelabelAction, Doc("What the step does.")] = "replace"
    source_labels: Annotated[
        tuple[str, ...],
        Doc("Labels whose values are joined and matched; `__name__` is the metric."),
    ] = ()
    separator: Annotated[str, Doc("What stands between the joined values.")] = ";"
    target_label: Annotated[str, Doc("Label that is set. A metric cannot be renamed here.")] = ""
    regex: Annotated[str, Doc("What must match the joined values, or a label's name.")] = "(.*)"
    replacement: Annotated[str, Doc("What the target is set to, with the groups of `regex`.")] = (
        "$1"
    )
    modulus: Annotated[int, Doc("Buckets of `hashmod`.", minimum=0)] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporter(Item):
    """One exporter that runs on the fleet's nodes, or beside them."""

    catalog: Annotated[
        Name,
        Doc("The MetricCatalog that says what it writes: a built-in one or the project's own."),
    ]
    job: Annotated[str, Doc("Value of the `job` label of its series.", non_empty=True)]
    version: Annotated[
        Version,
        Doc(
            "Its version, such as `4.5.3-4.8.2`. Required where label names or metrics depend on it."
        ),
    ] = Version("")
    honor_labels: Annotated[
        bool,
        Doc(
            "Whether the scrape has `honorLabels: true`. If not, the workload's `pod` arrives as `exported_pod`."
        ),
    ] = False
    collect: Annotated[
        tuple[str, ...],
        Doc("What it collects: the catalog's metric groups by name, and single metrics."),
    ] = ("default",)
    labels: Annotated[
        Mapping[LabelName, LabelName],
        Doc(
            "Canonical label to the label that this fleet's series carry, where it differs from the catalog's."
        ),
    ] = field(default_factory=dict)
    target_labels: Annotated[
        Mapping[LabelName, str],
        Doc(
            "Labels that the scrape adds to every series, with their value; empty where it differs by target. "
            "Without `honorLabels` an exporter's own label of that name arrives as `exported_...`."
        ),
    ] = field(default_factory=dict)
    metric_relabelings: Annotated[
        tuple[Relabeling, ...],
        Doc("What the scrape's `metricRelabelings` do to series before they are stored."),
    ] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool(Item):
    """Nodes of one kind in a cluster."""

    name: Annotated[Name, Doc("Name of the pool: the value of the target label `pool`.")]
    gpu: Annotated[str, Doc("GPU model, as in `gpuobs explain gpu-models`.", non_empty=True)]
    nodes: Annotated[int, Doc("Number of nodes.", minimum=1)]
    gpus_per_node: Annotated[int, Doc("Number of GPUs in each node.", minimum=1)]
    mig: Annotated[
        Mapping[str, int],
        Doc("MIG profile to the number of instances on every GPU of the pool; empty without MIG."),
    ] = field(default_factory=dict)
    exporter: Annotated[
        str,
        Doc("Catalog of the exporter that reports these GPUs. Empty: the one of the GPU's vendor."),
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workloads(Item):
    """How workloads come and go on a cluster."""

    pods_per_gpu: Annotated[int, Doc("Pods that hold one GPU at the same time.", minimum=1)] = 1
    pod_lifetime: Annotated[Duration, Doc("How long a pod lives on average.")] = Duration("4h")
    identity: Annotated[
        Literal["none", "dcgm-pod-labels"],
        Doc("Whether the exporters put the workload's pod on every series."),
    ] = "dcgm-pod-labels"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster(Item):
    """One cluster with its own Prometheus."""

    name: Annotated[Name, Doc("Name of the cluster: the value of the target label `cluster`.")]
    region: Annotated[str, Doc("Where it is.")] = ""
    pools: Annotated[tuple[Pool, ...], Doc("Its nodes, by kind.", non_empty=True)]
    workloads: Annotated[Workloads | None, Doc("How workloads come and go.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LongTerm(Item):
    """The long-term store."""

    kind: Annotated[
        Literal["mimir", "thanos", "federation", "none"],
        Doc("The kind of store; mimir and thanos have rulers, and mimir limits a group's rules."),
    ]
    tenant: Annotated[str, Doc("Tenant to write to, where the store has tenants.")] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage(Item):
    """Where samples live, and for how long."""

    replicas: Annotated[int, Doc("Prometheus replicas per cluster.", minimum=1)] = 2
    hot: Annotated[Duration, Doc("Raw samples in the Prometheus head.")] = Duration("6h")
    warm: Annotated[Duration, Doc("Raw samples on Prometheus' disk.")] = Duration("15d")
    cold: Annotated[Retention, Doc("Rollups in the long-term store.")] = Retention("13mo")
    long_term: Annotated[LongTerm | None, Doc("The long-term store, if any.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PrometheusOperator(Item):
    """Metadata of the PrometheusRule objects."""

    namespace: Annotated[Name, Doc("Their namespace.")] = Name("monitoring")
    labels: Annotated[
        Mapping[str, str], Doc("Their labels: what the Prometheus object's `ruleSelector` selects.")
    ] = field(default_factory=dict)
    annotations: Annotated[Mapping[str, str], Doc("Their annotations.")] = field(
        default_factory=dict
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet(Spec):
    """What there is: clusters, pools, exporters and storage. A project has exactly one."""

    prometheus_version: Annotated[
        PrometheusVersion,
        Doc(
            "Oldest Prometheus that must run the output. Newer features are refused when compiling."
        ),
    ] = PrometheusVersion("2.42")
    scrape_interval: Annotated[Duration, Doc("Scrape interval of the GPU exporters.")] = Duration(
        "15s"
    )
    evaluation_interval: Annotated[Duration, Doc("Evaluation interval of every rule group.")] = (
        Duration("1m")
    )
    exporters: Annotated[
        tuple[Exporter, ...], Doc("The exporters whose metrics may be used.", non_empty=True)
    ]
    clusters: Annotated[tuple[Cluster, ...], Doc("The clusters.", non_empty=True)]
    storage: Annotated[Storage | None, Doc("Where samples live.")] = None
    prometheus_operator: Annotated[
        PrometheusOperator | None, Doc("Metadata of PrometheusRule objects.")
    ] = None
    runbook_url: Annotated[
        str,
        Doc(
            "Address of the runbooks; `{alert}` stands for the alert's name. Empty: no `runbook_url` annotation."
        ),
    ] = ""
    labels: Annotated[Mapping[LabelName, str], Doc("Labels put on every alert.")] = field(
        default_factory=dict
    )


# Catalogs ------------------------------------------------------------------------------------------------------------

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


# Rollups -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Operations(Item):
    """What is recorded of a signal at one level: operation to windows."""

    avg: Annotated[
        tuple[Duration, ...], Doc("Mean over the window, and above the gpu level over GPUs.")
    ] = ()
    min: Annotated[tuple[Duration, ...], Doc("Minimum over the window and over GPUs.")] = ()
    max: Annotated[tuple[Duration, ...], Doc("Maximum over the window and over GPUs.")] = ()
    sum: Annotated[
        tuple[Duration, ...], Doc("Sum over GPUs of each GPU's mean over the window.")
    ] = ()
    count: Annotated[
        tuple[Duration, ...], Doc("Number of GPUs that reported within the window.")
    ] = ()
    rate: Annotated[
        tuple[Duration, ...], Doc("Per-second rate of a counter, summed over GPUs.")
    ] = ()
    increase: Annotated[
        tuple[Duration, ...], Doc("Increase of a counter over the window, summed over GPUs.")
    ] = ()
    p5: Annotated[tuple[Duration, ...], Doc("5th percentile over GPUs of their means.")] = ()
    p10: Annotated[tuple[Duration, ...], Doc("10th percentile over GPUs of their means.")] = ()
    p25: Annotated[tuple[Duration, ...], Doc("25th percentile over GPUs of their means.")] = ()
    p50: Annotated[tuple[Duration, ...], Doc("Median over GPUs of their means.")] = ()
    p75: Annotated[tuple[Duration, ...], Doc("75th percentile over GPUs of their means.")] = ()
    p90: Annotated[tuple[Duration, ...], Doc("90th percentile over GPUs of their means.")] = ()
    p95: Annotated[tuple[Duration, ...], Doc("95th percentile over GPUs of their means.")] = ()
    p99: Annotated[tuple[Duration, ...], Doc("99th percentile over GPUs of their means.")] = ()
    by: Annotated[
        tuple[LabelName, ...],
        Doc("Further labels to keep, such as `model`; the level's own are always kept."),
    ] = ()
    record: Annotated[
        Mapping[str, MetricName],
        Doc("Names to record under, by operation and window, such as `avg5m`."),
    ] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels(Item):
    """The levels of a rollup, from one GPU to the fleet."""

    gpu: Annotated[
        Operations | None,
        Doc("Every GPU: `cluster`, `pool`, `node`, `gpu`, `gpu_uuid`, `model`, `vendor`."),
    ] = None
    workload: Annotated[
        Operations | None,
        Doc("Every pod that holds GPUs: `cluster`, `namespace`, `pod`. Bounded by running pods."),
    ] = None
    node: Annotated[
        Operations | None, Doc("Every node: `cluster`, `pool`, `node`, `model`, `vendor`.")
    ] = None
    cluster: Annotated[Operations | None, Doc("Every cluster: `cluster`.")] = None
    fleet: Annotated[
        Operations | None, Doc("All clusters together; composed from the cluster level.")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollup(Item):
    """What is recorded of one signal."""

    signal: Annotated[Identifier, Doc("The signal.")]
    levels: Annotated[Levels, Doc("What to record at which level.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainRule(Item):
    """A recording rule in PromQL, for what the algebra does not cover."""

    record: Annotated[MetricName, Doc("The name to record under, `level:metric:operation`.")]
    expr: Annotated[PromQL, Doc("The expression.")]
    unit: Annotated[Unit, Doc("Unit of the result.")]
    labels: Annotated[Mapping[LabelName, str], Doc("Labels to add.")] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollups(Spec):
    """Recording rules, as signals by level or in PromQL."""

    rollups: Annotated[tuple[Rollup, ...], Doc("Rollups of signals.")] = ()
    rules: Annotated[
        tuple[PlainRule, ...],
        Doc("Plain recording rules; each may read the rollups and rules above it."),
    ] = ()


# Tiers ---------------------------------------------------------------------------------------------------------------

Required = Literal["summary", "description", "runbook", "scenarios"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier(Item):
    """How urgently an alert wants a person."""

    severity: Annotated[str, Doc("Value of the `severity` label.", non_empty=True)]
    repeat_interval: Annotated[
        Duration, Doc("How often a notification repeats while the alert fires.")
    ] = Duration("12h")
    requires: Annotated[tuple[Required, ...], Doc("What each alert of this tier must have.")] = (
        "summary",
    )
    min_for: Annotated[Duration | None, Doc("Shortest `for` of its alerts.")] = None
    max_for: Annotated[Duration | None, Doc("Longest `for` of its alerts.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiers(Spec):
    """Who is woken by what. A project has exactly one."""

    tiers: Annotated[Mapping[Name, Tier], Doc("The tiers, by name.", non_empty=True)]
    owners: Annotated[
        Mapping[Name, Mapping[Name, str]],
        Doc("Owner to tier to receiver. `{namespace}` stands for the alert's label."),
    ]


# Alerts --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class When(Item):
    """A condition on a recorded signal. The compiler writes the expression and its boundary tests."""

    signal: Annotated[Identifier, Doc("The signal.")]
    level: Annotated[
        Literal["gpu", "workload", "node", "cluster", "fleet"], Doc("What the alert is about.")
    ]
    reduce: Annotated[
        Literal[
            "avg",
            "min",
            "max",
            "sum",
            "count",
            "rate",
            "increase",
            "p5",
            "p10",
            "p25",
            "p50",
            "p75",
            "p90",
            "p95",
            "p99",
        ],
        Doc("The operation that is compared."),
    ]
    window: Annotated[Duration, Doc("Its window.")]
    match: Annotated[
        Mapping[LabelName, tuple[str, ...]], Doc("Only series whose label has one of these values.")
    ] = field(default_factory=dict)
    xid_class: Annotated[
        tuple[Literal["app", "info", "reset", "reboot", "triage", "unclassified", "unused"], ...],
        Doc("Only XIDs of these classes, for a signal by `xid`; see `gpuobs explain xid`."),
    ] = ()
    above: Annotated[
        float | Mapping[str, float] | None,
        Doc(
            "Fires above this: one number, or `default` and numbers by GPU model, in the signal's unit."
        ),
    ] = None
    below: Annotated[
        float | Mapping[str, float] | None,
        Doc(
            "Fires below this: one number, or `default` and numbers by GPU model, in the signal's unit."
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Runbook(Item):
    """What the person who is woken reads."""

    impact: Annotated[str, Doc("What it means for users of the GPUs.", non_empty=True)]
    diagnose: Annotated[tuple[str, ...], Doc("Steps to find the cause.", non_empty=True)]
    fix: Annotated[tuple[str, ...], Doc("Steps to mend it.", non_empty=True)]
    url: Annotated[
        str, Doc("Address of a longer runbook, instead of the fleet's `runbookUrl`.")
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation(Item):
    """What must hold at a moment of a scenario."""

    at: Annotated[Duration, Doc("Time since the scenario's start.")]
    labels: Annotated[
        Mapping[LabelName, str],
        Doc("Labels of the alert; labels that are not named may have any value."),
    ] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario(Item):
    """An incident, as series of samples and what must have fired when."""

    name: Annotated[str, Doc("What happens, in a few words.", non_empty=True)]
    interval: Annotated[Duration, Doc("Time between two samples of `series`.")] = Duration("1m")
    series: Annotated[
        Mapping[str, str],
        Doc(
            "Series to samples in promtool's notation. Labels that every series of the metric has may be left out.",
            non_empty=True,
        ),
    ]
    fires: Annotated[
        tuple[Expectation, ...],
        Doc("Alerts that must fire: at each moment exactly these, by the labels named."),
    ] = ()
    quiet: Annotated[tuple[Expectation, ...], Doc("Moments at which no such alert may fire.")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert(Item):
    """One alerting rule."""

    name: Annotated[AlertName, Doc("Its name, unique in the project.")]
    tier: Annotated[Name, Doc("Its tier, one of the Tiers document.")]
    owner: Annotated[str, Doc("Its owner, if not the document's.")] = ""
    when: Annotated[
        When | None, Doc("The condition, on a recorded signal. Either this or `expr`.")
    ] = None
    expr: Annotated[PromQL | None, Doc("The condition, in PromQL. Either this or `when`.")] = None
    for_: Annotated[Duration, Doc("How long the condition must hold.")] = Duration("0s")
    keep_firing_for: Annotated[
        Duration, Doc("How long the alert goes on firing after the condition ended.")
    ] = Duration("0s")
    labels: Annotated[Mapping[LabelName, str], Doc("Labels to add.")] = field(default_factory=dict)
    summary: Annotated[
        str, Doc("One line that says what is wrong, where. Prometheus templates are allowed.")
    ] = ""
    description: Annotated[str, Doc("What it means. Prometheus templates are allowed.")] = ""
    runbook: Annotated[Runbook | None, Doc("What the person who is woken does.")] = None
    scenarios: Annotated[tuple[Scenario, ...], Doc("Incidents that test it.")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Alerts(Spec):
    """What is worth waking someone."""

    owner: Annotated[Name, Doc("Who answers these alerts, one of the Tiers document's owners.")]
    alerts: Annotated[tuple[Alert, ...], Doc("The alerts.", non_empty=True)]


# Checks --------------------------------------------------------------------------------------------------------------

ParameterValue = bool | float | str | tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSetting(Item):
    """What this project makes of one check."""

    code: Annotated[
        CheckCode, Doc("The check's code, such as `rule/name`; `gpuobs explain` lists them.")
    ]
    enabled: Annotated[bool, Doc("Whether its findings are reported.")] = True
    severity: Annotated[
        Literal["error", "warning"] | None,
        Doc("Severity of its findings, instead of the check's own. Only errors stop a build."),
    ] = None
    parameters: Annotated[
        Mapping[str, ParameterValue],
        Doc("Values for the check's parameters, which its page under `gpuobs explain` names."),
    ] = field(default_factory=dict)
    reason: Annotated[Sentence, Doc("Why this project differs, for whoever reads it later.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks(Spec):
    """Which checks are off, milder, stricter or tuned in this project. A project has at most one."""

    checks: Annotated[tuple[CheckSetting, ...], Doc("The settings, by code.", non_empty=True)]


KINDS: dict[str, type[Spec]] = {
    kind.__name__: kind
    for kind in (Fleet, MetricCatalog, SignalCatalog, GpuModels, Rollups, Tiers, Alerts, Checks)
}
