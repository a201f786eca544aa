"""A second exporter for the GPUs of a vendor.

Rules read the labels of one exporter in one version. The series of a second one would be
missing from every rollup, without a word.

Bad:

```yaml
exporters:
  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc]}
  - {catalog: nvidia-dcgm, job: dcgm-exporter-new, version: 4.6.0-4.8.3}
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
```

Good:

```yaml
exporters:
  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc]}
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
```
"""

from __future__ import annotations

CODE = "fleet/duplicate-exporter"
SEVERITY = "error"
