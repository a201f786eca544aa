"""Raw series have more labels than the long-term store takes.

Mimir refuses series with more than 30 label names (`max_label_names_per_series`), the metric's own among them, and answers
with an error that Prometheus does not try again: they are missing. Limits that gpuobs generates for the tenant are large
enough, so that this is told only where they are not.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: MetricCatalog
name: long
metrics:
  - name: job_info
    kind: info
    per: node
    groups: [default]
    labels: [a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25]
---
exporters:
  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc]}
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
  - {catalog: long, job: long}
---
storage:
  longTerm: {kind: mimir, raw: [job_info]}
---
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {}
enforce: {tenantLimits: false}
```

Good:

```yaml
apiVersion: gpuobs/v1
kind: MetricCatalog
name: long
metrics:
  - name: job_info
    kind: info
    per: node
    groups: [default]
    labels: [a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12]
---
exporters:
  - {catalog: nvidia-dcgm, job: dcgm-exporter, version: 4.5.3-4.8.2, collect: [default, profiling, exp, ecc]}
  - {catalog: amd-device-metrics, job: amd-gpu-exporter}
  - {catalog: long, job: long}
---
storage:
  longTerm: {kind: mimir, raw: [job_info]}
---
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {}
enforce: {tenantLimits: false}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.budget.ledger import long_term
from gpuobs.checks._budget import account
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import Program

CODE = "budget/label-limit"
SEVERITY = "error"
# grafana.com/docs/mimir, -validation.max-label-names-per-series
_MIMIR = 30


def check(program: Program) -> Iterator[Diagnostic]:
    found = account(program)
    if found is None or found.policy.budget is None:
        return
    enforce, store = found.policy.budget.enforce, long_term(found.policy)
    if store is None or store.kind != "mimir" or enforce is None or enforce.tenant_limits:
        return
    for index, entry in enumerate(store.raw):
        sent = [line for line in found.lines if entry in (line.name, *line.metric.groups)]
        # The metric's name is a label of its own.
        counts = {line.name: 1 + len(line.exporter.labels_of(line.metric)) for line in sent}
        name = max(counts, key=lambda name: (counts[name], name), default="")
        if name and counts[name] > _MIMIR:
            message = f"series of '{name}' have up to {counts[name]} label names, and Mimir takes {_MIMIR}"
            hint = f"tenantLimits: true, or drop labels: 'gpuobs explain {name}' lists them"
            yield error(store.where("raw", index), CODE, message, hint)
