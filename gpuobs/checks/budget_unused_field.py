"""A metric that is collected and paid for, and that no rule and no alert reads.

An entry of `collect` that names one metric is a choice, made for something. Of a group some metrics may well be unread:
these are told where the project asks for it. What is sent raw to the long-term store counts as read.

Bad:

```yaml
exporters:
  - catalog: nvidia-dcgm
    job: dcgm-exporter
    version: 4.5.3-4.8.2
    collect: [default, profiling, exp, ecc, DCGM_FI_DEV_PCIE_LINK_GEN]
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
---
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {activeSeriesPerCluster: 1000000}
```

Good:

```yaml
exporters:
  - catalog: nvidia-dcgm
    job: dcgm-exporter
    version: 4.5.3-4.8.2
    collect: [default, profiling, exp, ecc]
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
---
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {activeSeriesPerCluster: 1000000}
```
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from gpuobs.budget.causes import brought
from gpuobs.budget.unused import unused
from gpuobs.checks._budget import account
from gpuobs.diagnostics import Diagnostic, warning
from gpuobs.exporters import ExporterInUse
from gpuobs.ir import Program

CODE = "budget/unused-field"
SEVERITY = "warning"
PARAMETERS = {"groups": (False, "whether unread metrics of groups are told as well")}


def check(program: Program) -> Iterator[Diagnostic]:
    found = account(program)
    if found is None:
        return
    groups, unread = program.parameter(CODE, "groups", False), unused(program)
    for exporter in found.policy.exporters:
        of_groups = {group for metric in exporter.catalog.metrics for group in metric.groups}
        told = set[str]()
        for index, entry in enumerate(exporter.spec.collect):
            if entry in of_groups and not groups:
                continue
            series: Counter[str] = Counter()
            for line in brought(found, exporter.spec, entry):
                if line.name in unread and line.name not in told and line.active:
                    series[line.name] += line.active
            told |= set(series)
            if series:
                yield _finding(exporter, index, series)


def _finding(exporter: ExporterInUse, index: int, series: Mapping[str, int]) -> Diagnostic:
    entry = exporter.spec.collect[index]
    total, most = sum(series.values()), max(series, key=lambda name: (series[name], name))
    if len(series) == 1:
        message = f"no rule and no alert reads '{most}', which has {total:,} series"
        hint = f"remove '{entry}', if no dashboard needs it" if entry == most else ""
    else:
        message = f"no rule and no alert reads {len(series)} metrics of '{entry}', which have {total:,} series"
        hint = f"such as '{most}', which has {series[most]:,}"
    return warning(exporter.spec.where("collect", index), CODE, message, hint)
