"""An exporter whose catalog does not exist.

The catalog says what an exporter writes. Without it nothing can be checked.

Bad:

```yaml
exporters:
  - {catalog: nvidia-dgcm, job: dcgm-exporter, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc]}
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

CODE = "fleet/unknown-catalog"
SEVERITY = "error"
