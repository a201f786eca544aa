"""A metric to collect under a name that this version of the exporter does not know yet.

dcgm-exporter writes a field under the name by which its list asks for it. Newer versions accept a second one; an older one
refuses to start with it.

Bad:

```yaml
exporters:
  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc, DCGM_FI_DEV_BANK_REMAP_AVAIL_NONE]}
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
```

Good:

```yaml
exporters:
  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc, DCGM_FI_DEV_BANKS_REMAP_ROWS_AVAIL_NONE]}
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._collect import singles
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import Program

CODE = "exporter/renamed-field"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for exporter, index, name, metric in singles(program):
        since = metric.aliases_since or exporter.catalog.aliases_since
        if name != metric.name and exporter.has(metric.since) and not exporter.has(since):
            message = f"version {exporter.spec.version} of {exporter.catalog.name} calls '{name}' by another name"
            hint = f"'{metric.name}'; '{name}' is accepted since {since}"
            yield error(exporter.spec.where("collect", index), CODE, message, hint)
