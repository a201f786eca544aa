"""Profiling metrics that the hardware of a pool cannot sample at the same time.

Older GPUs have counters for one group of profiling metrics at a time. DCGM then samples the groups in turn: a value covers a
part of the time only, and can be 0 meanwhile, which reads as an idle GPU.

Bad:

```yaml
exporters:
  - catalog: nvidia-dcgm
    job: dcgm-exporter
    version: 4.5.3-4.8.2
    collect: [default, exp, ecc, DCGM_FI_PROF_SM_ACTIVE, DCGM_FI_PROF_PIPE_FP16_ACTIVE]
---
clusters:
  - name: one
    pools:
      - {name: inference, gpu: A10-24GB, nodes: 4, gpusPerNode: 4}
```

Good:

```yaml
exporters:
  - catalog: nvidia-dcgm
    job: dcgm-exporter
    version: 4.5.3-4.8.2
    collect: [default, exp, ecc, DCGM_FI_PROF_SM_ACTIVE]
---
clusters:
  - name: one
    pools:
      - {name: inference, gpu: A10-24GB, nodes: 4, gpusPerNode: 4}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.diagnostics import Diagnostic, Related, Span, warning
from gpuobs.exporters import ExporterInUse
from gpuobs.ir import Program
from gpuobs.spec.model import GpuModel, Multiplexed, Pool

CODE = "exporter/profiling-conflict"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    if program.policy is None or program.foreign:
        return
    for exporter in program.policy.exporters:
        first = {model.name: (pool, model) for _, pool, model in reversed(program.policy.pools)}
        for pool, model in reversed(first.values()):
            if model.vendor == exporter.catalog.vendor:
                yield from _conflict(exporter, pool, model)


def _conflict(exporter: ExporterInUse, pool: Pool, model: GpuModel) -> Iterator[Diagnostic]:
    collected = {str(metric.name) for _, metric in exporter.collected()}
    groups = [
        [str(name) for name in group if name in collected] for group in _groups(exporter, model)
    ]
    first, *others = [group for group in groups if group] or [[]]
    for name in (name for group in others for name in group):
        message = f"'{name}' and '{first[0]}' are sampled in turn on {model.name}, never together"
        hint = f"collect the metrics of one group, such as {', '.join(first)}"
        related = (Related(pool.where("gpu"), f"pool '{pool.name}'"),)
        yield warning(_entry(exporter, name), CODE, message, hint, related)


def _groups(exporter: ExporterInUse, model: GpuModel) -> tuple[tuple[str, ...], ...]:
    """What goes together on a model, by the model's own entry before that of its architecture."""
    known: tuple[Multiplexed, ...] = exporter.catalog.multiplexed
    for name in (model.name, model.architecture):
        for entry in known:
            if name and name in entry.on:
                return tuple(tuple(map(str, group)) for group in entry.groups)
    return ()


def _entry(exporter: ExporterInUse, name: str) -> Span:
    """The entry of `collect` that brings a metric: its own, or the first group that has it."""
    metric = next(each for each in exporter.catalog.metrics if each.name == name)
    own = [metric.name, *metric.aliases]
    for wanted in (own, metric.groups):
        for index, entry in enumerate(exporter.spec.collect):
            if entry in wanted:
                return exporter.spec.where("collect", index)
    return exporter.spec.where("catalog")
