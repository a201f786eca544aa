"""A metric to collect that the exporter has only in a newer version.

dcgm-exporter refuses to start with a field that it does not know, or leaves it out without a word.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: MetricCatalog
name: our-exporter
versions: ["1.0.0", "1.2.0"]
metrics:
  - {name: gpu_fan_speed, kind: gauge, unit: percent, per: node, groups: [default]}
  - {name: gpu_hotspot, kind: gauge, unit: celsius, per: node, since: "1.2.0"}
---
exporters:
  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc]}
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
  - {catalog: our-exporter, job: ours, version: "1.0.0", collect: [default, gpu_hotspot]}
```

Good:

```yaml
apiVersion: gpuobs/v1
kind: MetricCatalog
name: our-exporter
versions: ["1.0.0", "1.2.0"]
metrics:
  - {name: gpu_fan_speed, kind: gauge, unit: percent, per: node, groups: [default]}
  - {name: gpu_hotspot, kind: gauge, unit: celsius, per: node, since: "1.2.0"}
---
exporters:
  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc]}
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
  - {catalog: our-exporter, job: ours, version: "1.2.0", collect: [default, gpu_hotspot]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._collect import singles
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import Program

CODE = "exporter/unknown-field"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for exporter, index, name, metric in singles(program):
        if not exporter.has(metric.since):
            message = f"version {exporter.spec.version} of {exporter.catalog.name} has no '{name}'"
            hint = f"version: {metric.since} or later"
            yield error(exporter.spec.where("collect", index), CODE, message, hint)
