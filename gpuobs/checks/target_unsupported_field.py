"""A field that the reader of a rule file does not have, or not yet.

A rule file with a field that Prometheus does not know is not loaded, and no other rule of it is
either. Thanos, Mimir and the Prometheus operator each have fields of their own, and newer versions
have new ones: `keep_firing_for` came with Prometheus 2.42, `query_offset` with 2.53 and the labels
of a group with 3.0.

Bad:

```yaml
groups:
  - name: gpu.rules
    partial_response_strategy: warn
    rules:
      - {record: cluster:gpus:count, expr: count by (cluster) (DCGM_FI_DEV_GPU_UTIL)}
```

Good:

```yaml
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: gpu}
spec:
  groups:
    - name: gpu.rules
      partial_response_strategy: warn
      rules:
        - {record: cluster:gpus:count, expr: count by (cluster) (DCGM_FI_DEV_GPU_UTIL)}
```
"""

from __future__ import annotations

CODE = "target/unsupported-field"
SEVERITY = "error"
