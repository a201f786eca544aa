"""Rollups: what is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from gpuobs.spec.model.base import Doc, Item, Spec
from gpuobs.spec.model.catalogs import Unit
from gpuobs.spec.scalars import Duration, Identifier, LabelName, MetricName, PromQL


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
