"""Raw series that go to the long-term store with labels which the Budget keeps for rollups.

Each pod is a new series there, kept for as long as the store keeps anything. A rollup of the workload level has the pod
too, and one series for all of its GPUs and metrics.

Bad:

```yaml
storage:
  longTerm: {kind: mimir, raw: [DCGM_FI_DEV_GPU_TEMP]}
---
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {}
labels: {onlyInRollups: [namespace, pod]}
```

Good:

```yaml
storage:
  longTerm: {kind: mimir}
---
apiVersion: gpuobs/v1
kind: Budget
name: default
limits: {}
labels: {onlyInRollups: [namespace, pod]}
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuobs.budget.census import Line
from gpuobs.budget.ledger import Ledger, by_blocks, long_term
from gpuobs.checks._budget import account
from gpuobs.diagnostics import Diagnostic, Related, Span, error
from gpuobs.exporters import TARGET_LABELS, ExporterInUse
from gpuobs.ir import Program
from gpuobs.spec.model import LongTerm

CODE = "budget/identity-in-raw"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    found = account(program)
    budget = None if found is None else found.policy.budget
    if found is None or budget is None or budget.labels is None:
        return
    store, wanted = long_term(found.policy), frozenset(map(str, budget.labels.only_in_rollups))
    if store is None or not wanted:
        return
    related = (Related(budget.labels.where("onlyInRollups"), "only in rollups, by this"),)
    for what, place, lines in _sent(found, store):
        labels = sorted({label for line in lines for label in _kept_back(found, line, wanted)})
        if labels:
            named = " and ".join(f"'{label}'" for label in labels)
            message = f"{what} go to the long-term store with {named}, which only rollups may"
            hint = "send a rollup of it: signals at the 'workload' level keep namespace and pod"
            yield error(place, CODE, message, hint, related)


def _sent(found: Ledger, store: LongTerm) -> Iterator[tuple[str, Span, list[Line]]]:
    """What is sent raw, by what says so."""
    if by_blocks(found.policy):
        yield "raw series, in a sidecar's blocks,", store.where("mode"), list(found.lines)
        return
    for index, entry in enumerate(store.raw):
        lines = [line for line in found.lines if entry in (line.name, *line.metric.groups)]
        yield f"raw series of '{entry}'", store.where("raw", index), lines


def _kept_back(found: Ledger, line: Line, wanted: frozenset[str]) -> Iterable[str]:
    """Labels of a line that may only be in rollups, by their own names or by their canonical ones."""
    exporter = line.exporter
    workload = {exporter.workload_label(each) for each in exporter.catalog.workload_labels}
    named = any(
        cluster.workloads is None or cluster.workloads.identity != "none"
        for cluster in found.policy.fleet.clusters
    )
    for label in exporter.labels_of(line.metric):
        if label in workload and not named and exporter.catalog.vendor:
            continue
        if _canonical(exporter, label) in wanted or (
            label in wanted and label not in TARGET_LABELS
        ):
            yield label


def _canonical(exporter: ExporterInUse, label: str) -> str:
    """What a label says; nothing of those that say where the exporter itself runs."""
    own = "" if label in TARGET_LABELS else label
    return exporter.canonical.get(label, own)
