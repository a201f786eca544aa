"""Random small fleets: their specs, and the raw series that their exporters write, as promtool takes them.

What a series looks like is written here anew, from what the exporters do, and not asked of what is being tested: pods that
hold a GPU or hand it over, idle GPUs, MIG instances, series that are missing or end, values up to the ends of their ranges.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random

from gpuobs import names
from gpuobs.pipeline import Compilation, check_project
from gpuobs.policy import Collected, Policy
from gpuobs.spec.model import Cluster, GpuModel, Pool

SAMPLES = 15  # one a minute
_TIERS = {
    "apiVersion": "gpuobs/v1",
    "kind": "Tiers",
    "name": "default",
    "tiers": {"info": {"severity": "info"}},
    "owners": {"infra": {"info": "nobody"}},
}
_NVIDIA = ("H100-SXM5-80GB", "A100-SXM4-40GB", "A100-PCIe-80GB", "L4-24GB")
_VERSIONS = ("3.3.8-3.6.0", "4.5.3-4.8.2", "4.6.0-4.8.3")
_MIG: tuple[dict[str, int], ...] = (
    {},
    {"1g.5gb": 2},
    {"1g.5gb": 1, "2g.10gb": 1, "3g.20gb": 1},
    {"7g.40gb": 1},
)
# Fields worth more than their share: MIG instances' own, codes, bits, counters, and those with labels of their own.
_NOTED = (
    "DCGM_FI_DEV_XID_ERRORS DCGM_FI_DEV_FB_USED DCGM_FI_DEV_FB_FREE DCGM_FI_DEV_GPU_TEMP DCGM_FI_PROF_SM_ACTIVE "
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION DCGM_FI_DEV_CLOCK_THROTTLE_REASONS DCGM_FI_DEV_GPU_TEMP_LIMIT "
    "gpu_gfx_activity gpu_hbm_temperature gpu_energy_consumed gpu_clock gpu_nodes_total gpu_package_power "
    "kube_pod_status_phase kube_node_status_condition up"
).split()
_EXTRA = ("0", "1", 'odd "one", \\o/ {}')
# Labels of one node's devices that count as the device does; any other that is not told below has one value.
_INDEXED = ("gpu", "gpu_id")


@dataclass(frozen=True)
class Series:
    """One raw series; `values` as promtool notes them."""

    name: str
    labels: Mapping[str, str]
    values: str


@dataclass(frozen=True)
class RawFleet:
    """A fleet without rules: its documents, and the series that it writes."""

    documents: Mapping[str, object]
    policy: Policy
    series: tuple[Series, ...]


def raw_fleet(random: Random, folder: Path) -> RawFleet:
    """A random fleet, its specs written to a folder."""
    documents: dict[str, object] = {"fleet.yaml": _fleet(random), "tiers.yaml": _TIERS}
    compiled = compiled_project(folder, documents)
    assert compiled.program is not None, compiled.diagnostics
    assert compiled.program.policy is not None
    policy = compiled.program.policy
    return RawFleet(documents, policy, tuple(_Writer(random, policy).series()))


def compiled_project(folder: Path, documents: Mapping[str, object]) -> Compilation:
    """Specs as they are compiled; warnings and errors of checks do not matter here."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, document in documents.items():
        (folder / name).write_text(json.dumps(document), encoding="utf-8")
    return check_project(folder)


# Specs ---------------------------------------------------------------------------------------------------------------


def _fleet(random: Random) -> dict[str, object]:
    clusters = [
        _cluster(random, name)
        for name in ("east", "west", "north")[: random.choice((1, 1, 2, 2, 3))]
    ]
    gpus = {pool["gpu"] for _, pools in clusters for pool in pools}
    exporters: list[dict[str, object]] = []
    if gpus & set(_NVIDIA):
        exporters.append(
            _exporter(
                random,
                "nvidia-dcgm",
                ["default", "profiling", "clock-events", "temperature-limits"],
            )
        )
        exporters[-1]["version"] = random.choice(_VERSIONS)
    if gpus - set(_NVIDIA):
        exporters.append(_exporter(random, "amd-device-metrics", ["default"]))
    random.shuffle(exporters)
    exporters.append(_exporter(random, "kube-state-metrics", ["default"]))
    exporters.append({"catalog": "prometheus", "job": "prometheus"})
    return {
        "apiVersion": "gpuobs/v1",
        "kind": "Fleet",
        "name": "random",
        "scrapeInterval": "1m",
        "evaluationInterval": "1m",
        "exporters": exporters,
        "clusters": [written | {"pools": pools} for written, pools in clusters],
    }


def _exporter(random: Random, catalog: str, collect: list[str]) -> dict[str, object]:
    job = random.choice((catalog, "gpu exporter"))
    written: dict[str, object] = {"catalog": catalog, "job": job, "collect": collect}
    written["honorLabels"] = random.random() < 0.5
    if catalog != "kube-state-metrics" and random.random() < 0.3:
        written["labels"] = random.choice(({"pool": "node_pool"}, {"cluster": "k8s_cluster"}))
    return written


def _cluster(random: Random, name: str) -> tuple[dict[str, object], list[dict[str, object]]]:
    chosen = random.sample(("train", "share", "other"), random.choice((1, 1, 2, 2, 3)))
    written: dict[str, object] = {"name": name}
    if random.random() < 0.7:
        written["workloads"] = {"podsPerGpu": random.choice((1, 1, 2)), "podLifetime": "10m"}
    return written, [_pool(random, pool) for pool in chosen]


def _pool(random: Random, name: str) -> dict[str, object]:
    gpu = {"train": random.choice(_NVIDIA), "share": "A100-SXM4-40GB", "other": "MI300X-192GB"}[
        name
    ]
    pool: dict[str, object] = {
        "name": name,
        "gpu": gpu,
        "nodes": random.choice((1, 1, 2, 2, 3, 4)),
        "gpusPerNode": random.choice((1, 1, 2, 2, 4)),
    }
    mig = random.choice(_MIG)
    return pool | ({"mig": mig} if name == "share" and mig else {})


# Series --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Device:
    """What an exporter reports: a GPU or a MIG instance, with labels by what they stand for, and who holds it when."""

    cluster: Cluster
    pool: Pool
    model: GpuModel
    node: str
    labels: Mapping[str, str]
    holders: tuple[tuple[Mapping[str, str], int, int], ...]


class _Writer:
    """Writes the series of a fleet; the GPUs and who holds them are the same for all metrics."""

    def __init__(self, random: Random, policy: Policy) -> None:
        self._random = random
        self._policy = policy
        # What the scrape knows of the exporter's own pod, the same on all targets.
        options = ("namespace", "pod", "container", "service", "endpoint")
        self._target = [label for label in options if random.random() < 0.5]
        self._devices = [device for entry in policy.pools for device in self._in_pool(*entry)]

    def series(self) -> Iterator[Series]:
        found = self._policy.collected
        kinds = [found[name] for name in _NOTED if name in found]
        others = [
            each
            for each in found.values()
            if each.metric.per in ("gpu", "slice", "link", "node") and each not in kinds
        ]
        chosen = self._random.sample(kinds, min(6, len(kinds)))
        for collected in chosen + self._random.sample(others, min(4, len(others))):
            yield from self._of_metric(collected)

    def _of_metric(self, collected: Collected) -> Iterator[Series]:
        """At most one series for each set of labels; now and then one is missing, or comes late, or ends."""
        seen: set[frozenset[tuple[str, str]]] = set()
        for labels, first, last in self._labelled(collected):
            key = frozenset(labels.items())
            if key in seen or self._random.random() < 0.04:
                continue
            seen.add(key)
            yield Series(collected.name, labels, self._values(collected, first, last))

    def _labelled(self, collected: Collected) -> Iterator[tuple[dict[str, str], int, int]]:
        exporter, metric = collected.exporter, collected.metric
        extras = self._extras(collected)
        if not exporter.catalog.vendor or metric.per == "target":
            for number in range(self._random.randint(1, 5)):
                for extra in extras:
                    yield self._of_service(collected, number) | extra, 0, SAMPLES
            return
        for device in self._devices:
            if device.model.vendor != exporter.catalog.vendor:
                continue
            shared = metric.per == "node"
            for held, first, last in (({}, 0, SAMPLES),) if shared else device.holders:
                for extra in extras:
                    yield self._of_device(collected, device, held) | extra, first, last

    def _extras(self, collected: Collected) -> list[dict[str, str]]:
        """Labels of the metric itself, in some of their combinations."""
        metric, random = collected.metric, self._random
        own = [str(label) for label in metric.labels]
        if metric.per == "link":
            own.append("nvlink")
        known: Mapping[str, tuple[str, ...]] = getattr(metric, "values", {})
        certain = collected.exporter.always(metric)
        found = [
            {
                label: random.choice(known.get(label, _EXTRA))
                for label in own
                if label in certain or random.random() < 0.8
            }
            for _ in range(random.randint(1, 3))
        ]
        return found if own else [{}]

    def _of_service(self, collected: Collected, number: int) -> dict[str, str]:
        """Of a target that is no GPU exporter's, or of any target."""
        exporter, random = collected.exporter, self._random
        cluster = random.choice(self._policy.fleet.clusters)
        every = collected.metric.per == "target"
        job = random.choice(self._policy.exporters).spec.job if every else exporter.spec.job
        labels = {"job": job, "instance": f"10.0.0.{number}:80"}
        labels[exporter.label(names.CLUSTER) or names.CLUSTER] = str(cluster.name)
        labels |= {label: f"{job}-{label}" for label in self._target}
        if every and exporter.catalog.vendor:
            labels[exporter.label(names.POOL) or names.POOL] = "train"
        subject = (
            exporter.catalog.workload_labels if collected.metric.per in ("pod", "container") else ()
        )
        return labels | {exporter.workload_label(label): f"{label}-{number}" for label in subject}

    def _of_device(
        self, collected: Collected, device: _Device, held: Mapping[str, str]
    ) -> dict[str, str]:
        exporter, metric = collected.exporter, collected.metric
        labels = {"job": exporter.spec.job, "instance": f"{device.node}:9400"}
        one = ("service", "endpoint")
        labels |= {
            label: label if label in one else f"{device.node}-{label}" for label in self._target
        }
        labels[exporter.label(names.CLUSTER) or names.CLUSTER] = str(device.cluster.name)
        labels[exporter.label(names.POOL) or names.POOL] = str(device.pool.name)
        certain = exporter.always(metric)
        identity = {exporter.label(name): value for name, value in device.labels.items()}
        for written in exporter.catalog.entity_labels.get(metric.per, ()):
            label = exporter.renames.get(written, written)
            if label in identity:
                labels[label] = identity[label]
            elif label in certain:
                labels[label] = self._property(label, device)
        of_device = (exporter.label(names.MIG_PROFILE), exporter.label(names.MIG_INSTANCE))
        labels = {
            label: value for label, value in labels.items() if value or label not in of_device
        }
        return labels | {exporter.workload_label(label): value for label, value in held.items()}

    def _property(self, label: str, device: _Device) -> str:
        if label in _INDEXED or label == "device":
            return f"nvidia{device.labels[names.GPU]}"
        if label == "pci_bus_id":
            return f"00000000:0{device.labels[names.GPU]}:00.0"
        return f"{label} of {device.cluster.name}"

    def _in_pool(self, cluster: Cluster, pool: Pool, model: GpuModel) -> Iterator[_Device]:
        instances = [profile for profile, count in pool.mig.items() for _ in range(count)] or [""]
        written = model.model_label or f"board {model.name}"
        for number in range(pool.nodes):
            node = f"{pool.name}-{number}"
            for index in range(pool.gpus_per_node):
                if self._random.random() < 0.05:
                    continue
                for instance, profile in enumerate(instances):
                    labels = {
                        names.NODE: node,
                        names.GPU: str(index),
                        names.GPU_UUID: f"GPU-{cluster.name}-{node}-{index}",
                        names.MODEL: written,
                        names.MIG_PROFILE: profile,
                        names.MIG_INSTANCE: str(instance) if profile else "",
                    }
                    yield _Device(
                        cluster, pool, model, node, labels, tuple(self._holders(cluster, node))
                    )

    def _holders(self, cluster: Cluster, node: str) -> Iterator[tuple[Mapping[str, str], int, int]]:
        """Pods with their first minute and the one in which they are gone; idle times are without a pod."""
        random = self._random
        most = cluster.workloads.pods_per_gpu if cluster.workloads else 1
        times = (
            [0, SAMPLES] if random.random() < 0.7 else [0, random.randint(2, SAMPLES - 1), SAMPLES]
        )
        for first, last in pairwise(times):
            held = random.randint(0, most)
            if not held:
                yield {}, first, last
            for slot in range(held):
                pod = f"{node}-{random.randint(0, 99)}-{slot}"
                namespace = random.choice(("a", "b"))
                yield {"namespace": namespace, "pod": pod, "container": "main"}, first, last

    def _values(self, collected: Collected, first: int, last: int) -> str:
        random, metric = self._random, collected.metric
        low, high = metric.range or (None, None)
        low = -1e6 if low is None else low
        high = random.choice((1000.0, 1e9, 1e15)) if high is None else high
        counter = metric.kind == "counter"
        shown = ["_"] * first
        value = random.choice((low, random.uniform(low, high)))
        steady = random.random() < 0.3
        for _ in range(first, last):
            if counter:
                value = (
                    low
                    if random.random() < 0.1
                    else min(high, value + random.uniform(0, high / 100))
                )
            elif not steady:
                value = random.choice(
                    (low, high, random.uniform(low, high), random.uniform(low, high))
                )
            rounded = min(max(round(value), low), high) if metric.integer else value
            shown.append("_" if random.random() < 0.04 else repr(float(rounded)))
        return " ".join(shown + ["stale"] * (last < SAMPLES))
