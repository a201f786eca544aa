"""A limit of the Budget that holds, but with less to spare than the Budget asks for.

Fleets grow by whole racks. Who sees the limit only when it breaks has no time left to raise it. `headroom` is the share of
each limit that stays free, 0.2 by default.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {seriesPerGpu: 400}
```

Good:

```yaml
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {seriesPerGpu: 500}
```
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpuobs.budget.limits import Use
from gpuobs.checks._budget import bound, sentence, used
from gpuobs.diagnostics import Diagnostic, warning
from gpuobs.ir import Program

CODE = "budget/headroom"
SEVERITY = "warning"


def check(program: Program) -> Iterator[Diagnostic]:
    for use in used(program):
        if use.within_headroom and use.headroom < 1:
            yield _finding(use)


def _finding(use: Use) -> Diagnostic:
    free = math.floor((1 - use.share) * 100)
    message = (
        f"{sentence(use)}, which leaves {free} % of {bound(use)} free, where {use.headroom * 100:g} % "
        f"should be: {use.arithmetic}"
    )
    return warning(use.span, CODE, message, f"{use.limit}: {_enough(use)} leaves it free")


def _enough(use: Use) -> str:
    """A limit of two figures that has the headroom which is asked for."""
    needed = use.value / (1 - use.headroom)
    digits = 1 - math.floor(math.log10(needed))
    found = math.ceil(needed * 10**digits) / 10**digits
    return f"{found:.{max(0, digits)}f}"
