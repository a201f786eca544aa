"""A label multiplies the series of a collected metric, and nobody says by how much.

The account leaves such a metric out, so that a limit may be broken while it seems to hold.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: MetricCatalog
name: ecc-blocks
metrics:
  - {name: gpu_ecc_correct, kind: counter, unit: errors, per: node, labels: [block], each: {block: 0}, groups: [default]}
---
exporters:
  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc]}
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
  - {catalog: ecc-blocks, job: ecc-blocks}
---
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {activeSeriesPerCluster: 1000000}
```

Good:

```yaml
apiVersion: gpuobs/v1
kind: MetricCatalog
name: ecc-blocks
metrics:
  - {name: gpu_ecc_correct, kind: counter, unit: errors, per: node, labels: [block], each: {block: 0}, groups: [default]}
---
exporters:
  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc]}
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
  - {catalog: ecc-blocks, job: ecc-blocks}
---
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {activeSeriesPerCluster: 1000000}
labels: {values: {block: 40}}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.budget.causes import brought
from gpuobs.checks._budget import account
from gpuobs.diagnostics import Diagnostic, Span, warning
from gpuobs.ir import Program

CODE = "budget/unbounded-label"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    found = account(program)
    if found is None:
        return
    told: dict[tuple[Span, str], dict[str, None]] = {}
    for exporter in found.policy.exporters:
        for index, entry in enumerate(exporter.spec.collect):
            for line in brought(found, exporter.spec, entry):
                for label in () if line.metric.on_event else line.unbounded:
                    key = exporter.spec.where("collect", index), label
                    told.setdefault(key, {})[line.name] = None
    for (place, label), names in told.items():
        first, *others = names
        more = f" and {len(others):,} more" if others else ""
        message = (
            f"the account leaves out '{first}'{more}: nobody says how many values '{label}' has"
        )
        hint = f"say it in the Budget, for 8 of them: labels: {{values: {{{label}: 8}}}}"
        yield warning(place, CODE, message, hint)
