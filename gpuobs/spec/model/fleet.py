"""The Fleet: what there is, how it is scraped, and where samples live."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from gpuobs.spec.model.base import Doc, Item, Spec
from gpuobs.spec.scalars import Duration, LabelName, Name, PrometheusVersion, Retention, Version

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
class Endpoint(Item):
    """Where Prometheus finds an exporter in Kubernetes. What is left out is the exporter's usual one."""

    namespace: Annotated[Name | None, Doc("Namespace of its Service and pods.")] = None
    selector: Annotated[
        Mapping[str, str], Doc("Labels of its Service, by which a ServiceMonitor finds it.")
    ] = field(default_factory=dict)
    port: Annotated[str, Doc("Name of the Service's port.")] = ""
    path: Annotated[str, Doc("Path of its metrics.")] = "/metrics"
    scheme: Annotated[Literal["http", "https"], Doc("Protocol.")] = "http"
    timeout: Annotated[
        Duration | None, Doc("Time that a scrape may take; by default two thirds of the interval.")
    ] = None


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
    endpoint: Annotated[Endpoint | None, Doc("Where Prometheus finds it in Kubernetes.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PerNode(Item):
    """Numbers of what a node has besides GPUs, for exporters that write series of it."""

    switches: Annotated[int, Doc("NVSwitches.", minimum=0)] = 0
    cpus: Annotated[int, Doc("CPUs that the GPU exporter reports, such as Grace.", minimum=0)] = 0
    cpu_cores: Annotated[int, Doc("Cores of these CPUs, together.", minimum=0)] = 0
    nics: Annotated[int, Doc("Ports of network adapters.", minimum=0)] = 0


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
    per_node: Annotated[
        PerNode | None, Doc("What else each node has that exporters write series of.")
    ] = None
    exporter: Annotated[
        str,
        Doc("Catalog of the exporter that reports these GPUs. Empty: the one of the GPU's vendor."),
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workloads(Item):
    """How workloads come and go on a cluster."""

    pods_per_gpu: Annotated[int, Doc("Pods that hold one GPU at the same time.", minimum=1)] = 1
    gpus_per_pod: Annotated[int, Doc("GPUs that one pod holds.", minimum=1)] = 1
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
    mode: Annotated[
        Literal["remote-write", "sidecar"],
        Doc(
            "How thanos gets its samples: written by Prometheus to a receiver, or as blocks by a sidecar."
        ),
    ] = "remote-write"
    url: Annotated[
        str, Doc("Address that is written to; for federation, of nothing: the store scrapes.")
    ] = ""
    replication: Annotated[
        int, Doc("Copies of each sample that the store's ingesters or receivers hold.", minimum=1)
    ] = 3
    levels: Annotated[
        tuple[Literal["gpu", "workload", "node", "cluster", "fleet"], ...],
        Doc("Levels whose rollups are sent; plain rules are sent with any of them."),
    ] = ("gpu", "workload", "node", "cluster", "fleet")
    raw: Annotated[
        tuple[str, ...],
        Doc(
            "Raw metrics that are sent besides the rollups, by name or by a catalog's metric group."
        ),
    ] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage(Item):
    """Where samples live, and for how long."""

    replicas: Annotated[int, Doc("Prometheus replicas per cluster.", minimum=1)] = 2
    hot: Annotated[
        Duration,
        Doc(
            "The youngest raw samples, which are read most: two to three hours of them are in Prometheus' head, the others on "
            "its disk. It sets nothing, and is a part of `warm` in the budget's sums."
        ),
    ] = Duration("6h")
    warm: Annotated[Duration, Doc("Raw samples on Prometheus' disk: its retention.")] = Duration(
        "15d"
    )
    cold: Annotated[Retention, Doc("Rollups in the long-term store.")] = Retention("13mo")
    long_term: Annotated[LongTerm | None, Doc("The long-term store, if any.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PrometheusOperator(Item):
    """Metadata of the operator's objects: PrometheusRules, ServiceMonitors and the AlertmanagerConfig."""

    namespace: Annotated[Name, Doc("Their namespace.")] = Name("monitoring")
    labels: Annotated[
        Mapping[str, str],
        Doc("Labels of PrometheusRules: what the Prometheus object's `ruleSelector` selects."),
    ] = field(default_factory=dict)
    monitor_labels: Annotated[
        Mapping[str, str],
        Doc(
            "Labels of ServiceMonitors: what the Prometheus object's `serviceMonitorSelector` selects."
        ),
    ] = field(default_factory=dict)
    annotations: Annotated[Mapping[str, str], Doc("Annotations of PrometheusRules.")] = field(
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
        PrometheusOperator | None, Doc("Metadata of the operator's objects.")
    ] = None
    pool_label: Annotated[
        str, Doc("Label of Kubernetes nodes whose value is the pool's name.", non_empty=True)
    ] = "gpuobs.dev/pool"
    runbook_url: Annotated[
        str,
        Doc(
            "Address of the runbooks; `{alert}` stands for the alert's name. Empty: no `runbook_url` annotation."
        ),
    ] = ""
    labels: Annotated[Mapping[LabelName, str], Doc("Labels put on every alert.")] = field(
        default_factory=dict
    )
