"""A relabelling step that cannot work, or that takes away what tells GPUs apart.

The steps are those of the scrape, so that labels of its series are known. Prometheus refuses a whole configuration for
one step that is wrong, and rules cannot be written for GPUs without a name.

Bad:

```yaml
exporters:
  - catalog: nvidia-dcgm
    job: dcgm-exporter
    version: 4.5.3-4.8.2
    collect: [default, profiling, exp, ecc]
    metricRelabelings:
      - {action: labeldrop, regex: Hostname}
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
```

Good:

```yaml
exporters:
  - catalog: nvidia-dcgm
    job: dcgm-exporter
    version: 4.5.3-4.8.2
    collect: [default, profiling, exp, ecc]
    metricRelabelings:
      - {sourceLabels: [Hostname], targetLabel: node}
      - {action: labeldrop, regex: Hostname}
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
```
"""

from __future__ import annotations

CODE = "fleet/relabeling"
SEVERITY = "error"
