"""Rules that read more series at one evaluation than the Budget allows.

What rules read is loaded at every evaluation, in each replica. Where it takes longer than the interval, evaluations are
left out, and alerts with them. The place is the smallest entry without which the limit would hold; a rule that others read
is none, for they need it.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {seriesReadPerEvaluation: 500}
```

Good:

```yaml
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {seriesReadPerEvaluation: 5000}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.budget.limits import READS
from gpuobs.checks._budget import broken, used
from gpuobs.diagnostics import Diagnostic
from gpuobs.ir import Program

CODE = "budget/read-cost"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for use in used(program):
        if use.limit == READS and use.exceeded:
            yield broken(program, use, CODE)
