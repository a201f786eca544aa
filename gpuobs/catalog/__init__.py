"""Facts that ship with gpuobs: exporters' metrics, vendor-neutral signals, GPU models and XIDs, each with its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gpuobs.spec.document import read
from gpuobs.spec.model import GpuModel, GpuModels, MetricCatalog, SignalCatalog, Spec
from gpuobs.spec.shape import shape

_FOLDER = Path(__file__).parent
_OTHERS = ("signals", "gpu-models")


@dataclass(frozen=True, slots=True)
class Xid:
    """One of NVIDIA's XIDs. `class_` says what a person does: app, info, reset, reboot, triage, or nothing known."""

    number: int
    mnemonic: str
    name: str
    immediate: str
    investigatory: str
    class_: str


@cache
def _load(name: str) -> Spec:
    path = _FOLDER / f"{name}.yaml"
    node, problems = read(f"<built-in>/{path.name}", path.read_bytes())
    spec = None
    if node is not None and not problems:
        spec, problems = shape(node)
    if spec is None:
        raise AssertionError(f"the built-in catalog {name} is broken: {problems}")
    return spec


def metric_catalog(name: str) -> MetricCatalog | None:
    """A built-in metric catalog by name."""
    if name not in metric_catalog_names():
        return None
    spec = _load(name)
    assert isinstance(spec, MetricCatalog)
    return spec


@cache
def metric_catalog_names() -> tuple[str, ...]:
    names = sorted(path.stem for path in _FOLDER.glob("*.yaml"))
    return tuple(name for name in names if name not in _OTHERS)


def metric_catalogs_with(metric: str) -> tuple[str, ...]:
    """Names of the built-in catalogs that have a metric of this name. Loads all of them."""
    loaded = ((name, metric_catalog(name)) for name in metric_catalog_names())
    return tuple(
        name
        for name, found in loaded
        if found and any(metric in (each.name, *each.aliases) for each in found.metrics)
    )


def mistaken(metric: str) -> tuple[str, str] | None:
    """The right name for one that circulates and that nobody writes, and what the wrong one is. Loads all catalogs."""
    loaded = (metric_catalog(name) for name in metric_catalog_names())
    every = (item for found in loaded if found for item in found.mistaken)
    return next(
        (
            (str(right), item.why)
            for item in every
            for wrong, right in item.names.items()
            if wrong == metric
        ),
        None,
    )


def signals() -> SignalCatalog:
    """The built-in signals."""
    spec = _load("signals")
    assert isinstance(spec, SignalCatalog)
    return spec


def gpu_models() -> Mapping[str, GpuModel]:
    """The built-in GPU models by name."""
    spec = _load("gpu-models")
    assert isinstance(spec, GpuModels)
    return {model.name: model for model in spec.models}


@cache
def xids() -> Mapping[int, Xid]:
    """NVIDIA's XIDs by number."""
    lines = (_FOLDER / "xid.tsv").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines[2:])
    return {int(number): Xid(int(number), *rest) for number, *rest in rows}
