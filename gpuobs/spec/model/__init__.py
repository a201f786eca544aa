"""The language: one frozen dataclass for each thing an author can write.

The JSON Schema, the reading of specs and docs/spec.md are all generated from these classes. A field's `Doc` is its
documentation; a YAML key is the field's name in camelCase, without a trailing underscore.
"""

from gpuobs.spec.model.alerts import (
    Alert,
    Alerts,
    Expectation,
    Runbook,
    Scenario,
    When,
)
from gpuobs.spec.model.base import Doc, Item, Spec
from gpuobs.spec.model.budget import Budget, BudgetAlerts, Enforce, LabelPolicy, Limits
from gpuobs.spec.model.catalogs import (
    GpuModel,
    GpuModels,
    LabelChange,
    Metric,
    MetricCatalog,
    MetricKind,
    Mistaken,
    Multiplexed,
    Per,
    RatioOf,
    Shipped,
    Signal,
    SignalCatalog,
    SignalLevel,
    Unit,
)
from gpuobs.spec.model.checks import Checks, CheckSetting, ParameterValue
from gpuobs.spec.model.fleet import (
    Cluster,
    Endpoint,
    Exporter,
    Fleet,
    LongTerm,
    PerNode,
    Pool,
    PrometheusOperator,
    RelabelAction,
    Relabeling,
    Storage,
    Workloads,
)
from gpuobs.spec.model.rollups import Levels, Operations, PlainRule, Rollup, Rollups
from gpuobs.spec.model.tiers import (
    Email,
    Inhibit,
    MuteTime,
    PagerDuty,
    Receiver,
    Required,
    Slack,
    Tier,
    Tiers,
    Webhook,
)

KINDS: dict[str, type[Spec]] = {
    kind.__name__: kind
    for kind in (
        Fleet,
        MetricCatalog,
        SignalCatalog,
        GpuModels,
        Rollups,
        Tiers,
        Alerts,
        Budget,
        Checks,
    )
}

__all__ = [
    "KINDS",
    "Alert",
    "Alerts",
    "Budget",
    "BudgetAlerts",
    "CheckSetting",
    "Checks",
    "Cluster",
    "Doc",
    "Email",
    "Endpoint",
    "Enforce",
    "Expectation",
    "Exporter",
    "Fleet",
    "GpuModel",
    "GpuModels",
    "Inhibit",
    "Item",
    "LabelChange",
    "LabelPolicy",
    "Levels",
    "Limits",
    "LongTerm",
    "Metric",
    "MetricCatalog",
    "MetricKind",
    "Mistaken",
    "Multiplexed",
    "MuteTime",
    "Operations",
    "PagerDuty",
    "ParameterValue",
    "Per",
    "PerNode",
    "PlainRule",
    "Pool",
    "PrometheusOperator",
    "RatioOf",
    "Receiver",
    "RelabelAction",
    "Relabeling",
    "Required",
    "Rollup",
    "Rollups",
    "Runbook",
    "Scenario",
    "Shipped",
    "Signal",
    "SignalCatalog",
    "SignalLevel",
    "Slack",
    "Spec",
    "Storage",
    "Tier",
    "Tiers",
    "Unit",
    "Webhook",
    "When",
    "Workloads",
]
