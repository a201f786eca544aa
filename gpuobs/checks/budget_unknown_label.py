"""The Budget names a label that there is not, or counts values that multiply nothing.

No exporter of the fleet writes it, or it follows what its series stand for: a GPU has one UUID and one model at a time, so
that neither makes a second series. A label that is forbidden before anybody writes it is no mistake, unless it is one letter
away from another.

Bad:

```yaml
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {}
labels: {values: {modelName: 3}}
```

Good:

```yaml
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuobs.checks._budget import account
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import Program
from gpuobs.nearest import did_you_mean, slip

CODE = "budget/unknown-label"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    found = account(program)
    labels = None if found is None or found.policy.budget is None else found.policy.budget.labels
    if found is None or labels is None:
        return
    metrics = [metric for each in found.policy.exporters for metric in each.catalog.metrics]
    multiplying = {str(label) for metric in metrics for label in metric.each}
    collected = (label for each in found.policy.collected.values() for label in each.labels)
    written = {*map(str, collected), *found.policy.label_names, *multiplying}
    for key, listed in (("forbid", labels.forbid), ("onlyInRollups", labels.only_in_rollups)):
        for index, label in enumerate(map(str, listed)):
            meant = None if label in written else slip(label, written)
            if meant is not None:
                message = f"no exporter of this fleet writes a label '{label}'"
                yield error(labels.where(key, index), CODE, message, f"did you mean '{meant}'?")
    for label in map(str, labels.values):
        if label in multiplying:
            continue
        if label in written:
            message = (
                f"'{label}' has one value at a time for what a series stands for, and adds none"
            )
            hint = "remove it: values are of labels that multiply"
        else:
            message = f"no exporter of this fleet writes a label '{label}'"
            hint = did_you_mean(label, multiplying)
        yield error(labels.written.at_key("values", label), CODE, message, hint)
