"""A label multiplies the series of a collected metric, and nobody says by how much.

The account leaves such a metric out, so that a limit may be broken while it seems to hold. This is told where one value
alone would be a share of the cluster's series that matters.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: MetricCatalog
name: training
metrics:
  - {name: training_loss, kind: gauge, per: pod, labels: [namespace, pod, layer], each: {layer: 0}, groups: [default]}
  - {name: training_gradient, kind: gauge, per: pod, labels: [namespace, pod, layer], each: {layer: 0}, groups: [default]}
---
exporters:
  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc]}
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
  - {catalog: training, job: training}
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
name: training
metrics:
  - {name: training_loss, kind: gauge, per: pod, labels: [namespace, pod, layer], each: {layer: 0}, groups: [default]}
  - {name: training_gradient, kind: gauge, per: pod, labels: [namespace, pod, layer], each: {layer: 0}, groups: [default]}
---
exporters:
  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc]}
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
  - {catalog: training, job: training}
---
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {activeSeriesPerCluster: 1000000}
labels: {values: {layer: 40}}
```
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpuobs.budget.causes import brought
from gpuobs.budget.census import Line
from gpuobs.budget.ledger import Ledger
from gpuobs.checks._budget import account
from gpuobs.diagnostics import Diagnostic, Span, warning
from gpuobs.ir import Program

CODE = "budget/unbounded-label"
SEVERITY = "warning"
PARAMETERS = {
    "share": (0.01, "the share of a cluster's series from which on a metric must be counted")
}


def check(program: Program) -> Iterator[Diagnostic]:
    found = account(program)
    if found is None:
        return
    least = program.parameter(CODE, "share", 0.01)
    for exporter in found.policy.exporters:
        for index, entry in enumerate(exporter.spec.collect):
            lines = [
                line
                for line in brought(found, exporter.spec, entry)
                if line.unbounded and not line.metric.on_event
            ]
            if _share(found, lines) >= least:
                yield _finding(exporter.spec.where("collect", index), lines)


def _share(found: Ledger, lines: list[Line]) -> float:
    """What some lines would be of a cluster's series if each of their labels had one value, where it is most."""
    shares = [0.0]
    for cluster in found.clusters:
        series = sum(
            math.prod(factor.count for factor in line.factors)
            for line in lines
            if line.cluster == cluster.name
        )
        shares.append(series / max(1, cluster.active))
    return max(shares)


def _finding(place: Span, lines: list[Line]) -> Diagnostic:
    first, *others = dict.fromkeys(line.name for line in lines)
    labels = sorted({label for line in lines for label in line.unbounded})
    more = f" and {len(others):,} more" if others else ""
    named = " and ".join(f"'{label}'" for label in labels)
    have = "has" if len(labels) == 1 else "have"
    message = f"the account leaves out '{first}'{more}: nobody says how many values {named} {have}"
    values = ", ".join(f"{label}: 8" for label in labels)
    hint = f"say it in the Budget, for 8 of them: labels: {{values: {{{values}}}}}"
    return warning(place, CODE, message, hint)
