"""Something to collect, or to send, that there is not.

A misspelt group or metric would be missing from the exporter, and every alert on it silent. The same goes for `raw` of the
long-term store, which can only be sent what is collected.

Bad:

```yaml
exporters:
  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, collect: [default, profilng, exp, ecc]}
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

CODE = "fleet/unknown-group"
SEVERITY = "error"
