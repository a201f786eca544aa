"""A limit of the Budget that the fleet passes.

A Prometheus that holds more series than it has memory for dies, and with it every alert. The place is the smallest single
choice in the specs without which the limit would hold, or where there is none the largest; the message has the sum, and
beside it stand the limit and what else is large.

Bad:

```yaml
clusters:
  - name: one
    pools:
      - {name: h100, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8, mig: {1g.10gb: 7}}
---
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {activeSeriesPerCluster: 8000}
```

Good:

```yaml
clusters:
  - name: one
    pools:
      - {name: h100, gpu: H100-SXM5-80GB, nodes: 4, gpusPerNode: 8}
---
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {activeSeriesPerCluster: 8000}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.budget.limits import READS
from gpuobs.checks._budget import broken, used
from gpuobs.diagnostics import Diagnostic
from gpuobs.ir import Program

CODE = "budget/exceeded"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for use in used(program):
        if use.exceeded and not use.at_least and use.limit != READS:
            yield broken(program, use, CODE)
