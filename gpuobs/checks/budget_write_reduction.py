"""Samples that go on to the long-term store are more than the Budget promises.

`longTermWriteReduction` is scraped samples a second over those sent. Rollups that keep every GPU at every evaluation, or
raw metrics that are sent as well, cost as much as what they condense.

Bad:

```yaml
storage:
  longTerm: {kind: mimir}
---
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {longTermWriteReduction: 100}
```

Good:

```yaml
storage:
  longTerm: {kind: mimir, levels: [node, cluster, fleet]}
---
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {longTermWriteReduction: 100}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.budget.ledger import by_blocks
from gpuobs.budget.limits import uses
from gpuobs.checks._budget import account, broken
from gpuobs.diagnostics import Diagnostic
from gpuobs.ir import Program

CODE = "budget/write-reduction"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    found = account(program)
    if found is None or by_blocks(found.policy):
        return
    for use in uses(found):
        if use.at_least and use.exceeded:
            yield broken(program, use, CODE)
