"""The Budget forbids a label that tells GPUs apart.

Without it the series of all GPUs of a node, or of all nodes, would be one, and which value that one has is chance. What
costs too much is recorded at a higher level instead.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {}
labels: {forbid: [UUID]}
```

Good:

```yaml
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {}
labels: {forbid: [pod_uid]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._budget import account, of_identity
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import Program

CODE = "budget/forbidden-identity"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    found = account(program)
    labels = None if found is None or found.policy.budget is None else found.policy.budget.labels
    if found is None or labels is None:
        return
    identity = of_identity(found.policy)
    for index, label in enumerate(map(str, labels.forbid)):
        if label in identity:
            message = f"'{label}' says which {identity[label]} a series is of: without it they would be one"
            hint = "leave it out of 'forbid', and record what is too much at a higher level"
            yield error(labels.where("forbid", index), CODE, message, hint)
