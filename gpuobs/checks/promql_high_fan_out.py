"""A recording rule that keeps a label which has ever new values.

Each process, pod start or text makes a series of its own that nobody asks for again. A rule that
records them costs as much as what it is there to condense, and long-term storage keeps it all.

Bad:

```yaml
rules:
  - record: node:xid:last
    expr: max by (Hostname, gpu, err_msg) (DCGM_FI_DEV_XID_ERRORS)
    unit: code
```

Good:

```yaml
rules:
  - record: node:xid:last
    expr: max by (Hostname, gpu, err_code) (DCGM_FI_DEV_XID_ERRORS)
    unit: code
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.diagnostics import Diagnostic
from gpuobs.expressions import expressions
from gpuobs.ir import Program
from gpuobs.promql.nodes import Aggregate

CODE = "promql/high-fan-out"
SEVERITY = "warning"
# Labels of dcgm-exporter, kube-state-metrics and NCCL Inspector without a bound, and why there is none.
_UNBOUNDED = {
    "err_msg": "is a free text",
    "pod_uid": "has a new value for each start of a pod",
    "uid": "has a new value for each start of a pod",
    "process_id": "has a new value for each process",
    "pid": "has a new value for each process",
    "comm_name": "has a new value for each communicator",
}


def check(program: Program) -> Iterator[Diagnostic]:
    for expression in expressions(program):
        if expression.alert is not None:
            continue
        for node in expression.analysis.of(Aggregate):
            if node.grouping is None or not node.by:
                continue
            for label, start, end in node.grouping.labels:
                if label in _UNBOUNDED and label in expression.result.labels.possible:
                    message = f"'{label}' {_UNBOUNDED[label]}: each is a series of this rule"
                    hint = f"leave '{label}' out"
                    yield expression.warning((start, end), CODE, message, hint)
