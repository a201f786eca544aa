"""A step reads a label that no target or series has at that stage.

An absent label is the empty text, which `(.*)` matches: a `drop` then drops everything, and a `keep` may keep nothing.
Labels that begin with `__meta_`, `__address__` and the like are there for `relabel_configs` and gone for
`metric_relabel_configs`; the labels of series are there only for the latter. Each role of Kubernetes' discovery has labels of
its own.

Bad:

```yaml
scrape_configs:
  - job_name: dcgm-exporter
    kubernetes_sd_configs: [{role: pod}]
    metric_relabel_configs:
      - {action: drop, source_labels: [__meta_kubernetes_namespace], regex: test-.*}
```

Good:

```yaml
scrape_configs:
  - job_name: dcgm-exporter
    kubernetes_sd_configs: [{role: pod}]
    relabel_configs:
      - {action: drop, source_labels: [__meta_kubernetes_namespace], regex: test-.*}
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuobs.checks._scrape_jobs import SETTING, made_before, matches_empty, stages
from gpuobs.checks._stages import Stage, at, effect
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import Program
from gpuobs.promql.relabel import Step
from gpuobs.scraping import Relabeling

CODE = "scrape/label-unset"
SEVERITY = "error"
_READING = (
    "replace",
    "keep",
    "drop",
    "keepequal",
    "dropequal",
    "hashmod",
    "lowercase",
    "uppercase",
)


def check(program: Program) -> Iterator[Diagnostic]:
    for job, steps, of_metrics in stages(program):
        stage = at(program, job, steps, of_metrics)
        for index, each in enumerate(steps):
            yield from _of_step(stage, steps, index, each)


def _of_step(
    stage: Stage, steps: Sequence[Relabeling], index: int, each: Relabeling
) -> Iterator[Diagnostic]:
    if each.step.action not in _READING:
        return
    before = [earlier.step for earlier in steps[:index]]
    later = [following.step for following in steps[index + 1 :]]
    missing = {}
    for place, label in enumerate(each.step.sources):
        why = None if made_before(before, label) else stage.unset(label)
        if why is not None and not _is_set_by(later, label):
            missing[place] = why
    empty = matches_empty(each.step) if len(missing) == len(each.step.sources) else None
    comes_to = effect(stage, each.step, empty) if empty is not None else ""
    for place, (message, hint) in missing.items():
        yield error(each.place("source_labels", place), CODE, message + comes_to, hint)


def _is_set_by(later: Sequence[Step], label: str) -> bool:
    """Whether a later step sets it, so that it is the order that is wrong."""
    return any(step.target == label and step.action in SETTING for step in later)
