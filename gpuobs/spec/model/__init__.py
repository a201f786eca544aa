"""The language: one frozen dataclass for each thing an author can write.

The JSON Schema, the reading of specs and docs/spec.md are all generated from these classes. A field's `Doc` is its
documentation; a YAML key is the field's name in camelCase, without a trailing underscore.
"""

from gpuobs.spec.model.alerts import (
    Alert,
    Alerts,
    Expectation,
    Required,
    Runbook,
    Scenario,
    Tier,
    Tiers,
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
    "Endpoint",
    "Enforce",
    "Expectation",
    "Exporter",
    "Fleet",
    "GpuModel",
    "GpuModels",
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
    "Operations",
    "ParameterValue",
    "Per",
    "PerNode",
    "PlainRule",
    "Pool",
    "PrometheusOperator",
    "RatioOf",
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
    "Spec",
    "Storage",
    "Tier",
    "Tiers",
    "Unit",
    "When",
    "Workloads",
]
