"""A limit that no fleet can hold, or that limits nothing.

Scrapes themselves write samples, so that a limit of 0 cannot be held; with a headroom of 1 or more all of a limit should
stay free; and what is sent to the long-term store can only be promised where there is one that Prometheus writes to.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {longTermWriteReduction: 20}
```

Good:

```yaml
storage:
  longTerm: {kind: mimir, levels: [cluster, fleet]}
---
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {longTermWriteReduction: 20}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.budget.ledger import by_blocks, long_term
from gpuobs.budget.limits import SAMPLES, WRITE_REDUCTION
from gpuobs.checks._budget import account
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import Program

CODE = "budget/bad-limit"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    found = account(program)
    if found is None or found.policy.budget is None:
        return
    limits = found.policy.budget.limits
    if limits.headroom >= 1:
        message = f"a headroom of {limits.headroom:g} leaves nothing of any limit"
        yield error(limits.where("headroom"), CODE, message, "headroom: 0.2")
    if limits.samples_per_second_per_cluster == 0:
        message = "every scrape writes samples, so that a limit of 0 is always broken"
        yield error(limits.where(SAMPLES), CODE, message, "leave it out, or state what is allowed")
    if limits.long_term_write_reduction is not None:
        place = limits.written.at_key(WRITE_REDUCTION)
        if long_term(found.policy) is None:
            message = "the fleet has no long-term store, to which less could be written"
            yield error(
                place, CODE, message, "add 'longTerm' to the Fleet's 'storage', or leave this out"
            )
        elif by_blocks(found.policy):
            message = "a sidecar sends whole blocks, of every series: nothing is reduced"
            yield error(place, CODE, message, "mode: remote-write, or leave this out")
