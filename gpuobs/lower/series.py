"""Series of unit tests: labels that every series of a metric has are filled in as the fleet would write them."""

from __future__ import annotations

from collections.abc import Mapping

from gpuobs import names
from gpuobs.exporters import EVERY_TARGET
from gpuobs.lower.queries import quoted
from gpuobs.policy import Collected, Policy
from gpuobs.spec.model import Cluster, GpuModel, Pool

_DEVICES = ("gpu", "slice", "link", "vgpu")


def text(name: str, labels: Mapping[str, str]) -> str:
    """A series in promtool's notation, labels sorted."""
    inside = ", ".join(f'{label}="{quoted(labels[label])}"' for label in sorted(labels))
    return f"{name}{{{inside}}}" if inside else name


def completed(policy: Policy, collected: Collected, given: Mapping[str, str]) -> dict[str, str]:
    """The labels given, and those that every series of this metric carries on this fleet."""
    exporter, metric = collected.exporter, collected.metric
    labels = dict(given)

    def fill(canonical: str, value: str) -> str:
        label = exporter.label(canonical)
        return labels.setdefault(label, value) if label else value

    cluster, pool, model = _pool(policy, collected, given)
    fill(names.CLUSTER, str(cluster.name))
    if EVERY_TARGET not in metric.groups:
        labels.setdefault("job", exporter.spec.job)
    if metric.per in _DEVICES and exporter.catalog.vendor:
        fill(names.POOL, str(pool.name))
        node = fill(names.NODE, "n1")
        gpu = fill(names.GPU, "0")
        fill(names.GPU_UUID, f"GPU-{node}-{gpu}")
        fill(names.MODEL, model.model_label or model.name)
        labels.setdefault("instance", f"{node}:9400")
    return labels


def _pool(
    policy: Policy, collected: Collected, given: Mapping[str, str]
) -> tuple[Cluster, Pool, GpuModel]:
    """The first pool that the labels given fit: by name, model, MIG and vendor."""
    exporter = collected.exporter
    pool_label = exporter.label(names.POOL) or ""
    model_label = exporter.label(names.MODEL) or ""
    instance = exporter.label(names.MIG_INSTANCE) or ""

    def misfit(entry: tuple[Cluster, Pool, GpuModel]) -> tuple[bool, ...]:
        _, pool, model = entry
        return (
            exporter.catalog.vendor not in ("", model.vendor),
            given.get(pool_label, pool.name) != pool.name,
            given.get(model_label, model.model_label) != model.model_label,
            bool(pool.mig) != (instance in given),
        )

    return min(policy.pools, key=misfit)
