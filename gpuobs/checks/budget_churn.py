"""More series of a cluster end within what the head holds than are active.

Each pod that comes makes new series of every metric that carries its name. The old ones stay in Prometheus' head for up to
three hours, so that short jobs cost more memory than all GPUs together. The pod's labels are needed where series are
attributed to workloads, and seldom on every metric.

Bad:

```yaml
clusters:
  - name: one
    pools:
      - {name: h100, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8}
    workloads: {podLifetime: 1h}
---
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {headSeriesPerCluster: 1000000}
```

Good:

```yaml
clusters:
  - name: one
    pools:
      - {name: h100, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8}
    workloads: {podLifetime: 1h, identity: none}
---
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {headSeriesPerCluster: 1000000}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.budget import census, changes, storage
from gpuobs.budget.ledger import ClusterAccount, ledger
from gpuobs.budget.limits import HEAD_SERIES, uses
from gpuobs.checks._budget import account
from gpuobs.diagnostics import Diagnostic, warning
from gpuobs.ir import Program
from gpuobs.spec.model import Cluster
from gpuobs.spec.scalars import duration

CODE = "budget/churn"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    found = account(program)
    if found is None:
        return
    told = {use.cluster for use in uses(found) if use.limit == HEAD_SERIES and use.exceeded}
    for cluster, of in zip(found.policy.fleet.clusters, found.clusters, strict=True):
        if of.churned > of.active and of.name not in told:
            yield _finding(program, cluster, of)


def _finding(program: Program, cluster: Cluster, of: ClusterAccount) -> Diagnostic:
    lifetime = duration(census.lifetime(cluster.workloads))
    hours = f"{storage.HEAD_HOURS.value:g} h"
    message = (
        f"within {hours} {of.churned:,} series of '{of.name}' end, and {of.active:,} are active: each pod "
        f"leaves its own behind after {lifetime}"
    )
    place = cluster.where("name")
    if cluster.workloads is not None:
        place = cluster.workloads.where("podLifetime")
    return warning(place, CODE, message, _hint(program, of))


def _hint(program: Program, of: ClusterAccount) -> str:
    """What is left without the pods' labels."""
    try:
        bare = changes.without_pod_labels(of.name)(of.policy)
    except changes.Unfit:
        return ""
    left = next(each for each in ledger(program, bare).clusters if each.name == of.name)
    return f"with 'identity: none' in its 'workloads' {left.churned:,} end"
