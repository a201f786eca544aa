"""Every metric, label and annotation name that gpuobs writes, so that no two places can disagree."""

from __future__ import annotations

API_VERSION = "gpuobs/v1"

# Canonical labels: what series carry from the gpu level upwards, whatever the exporter calls them.
CLUSTER = "cluster"
POOL = "pool"
NODE = "node"
GPU = "gpu"
GPU_UUID = "gpu_uuid"
MODEL = "model"
VENDOR = "vendor"
MIG_PROFILE = "mig_profile"
MIG_INSTANCE = "mig_instance"
NAMESPACE = "namespace"
POD = "pod"

CANONICAL_LABELS = (
    CLUSTER,
    POOL,
    NODE,
    GPU,
    GPU_UUID,
    MODEL,
    VENDOR,
    MIG_PROFILE,
    MIG_INSTANCE,
    NAMESPACE,
    POD,
)

# Labels that every alert carries.
ALERTNAME = "alertname"
SEVERITY = "severity"
TIER = "tier"
OWNER = "owner"

# Labels of alerts on objectives, and what is recorded of objectives for dashboards.
SLO = "slo"
BURN = "burn"
SLO_OBJECTIVE = "slo:objective:ratio"
SLO_BURN = "slo:burn:avg1h"
SLO_REMAINING = "slo:budget:remaining"

# Annotations.
SUMMARY = "summary"
DESCRIPTION = "description"
VALUE = "value"
RUNBOOK = "runbook"
RUNBOOK_URL = "runbook_url"

# What the fleet spec says there is, recorded as constants that alerts compare with.
INVENTORY_GPUS = "pool:gpus:inventory"
INVENTORY_NODES = "pool:nodes:inventory"
INVENTORY_GPUS_PER_NODE = "pool:gpus_per_node:inventory"

# The Alerts document that a Budget's numbers write.
BUDGET_ALERTS = "budget"


def record(level: str, signal: str, operation: str) -> str:
    """`level:signal:operation`, the Prometheus convention for recording rules."""
    return f"{level}:{signal}:{operation}"


def threshold_record(level: str, alert: str) -> str:
    """The constant series that holds an alert's thresholds by GPU model."""
    return f"{level}:{alert}:threshold"


def group(kind: str, name: str) -> str:
    """A rule group's name: the spec's kind and name, and for rollups the signal."""
    return f"gpuobs.{kind}.{name}"
