"""Steps run from top to bottom, and one of these comes too early or too late.

A label that a later step sets is empty when it is read, one that an earlier step dropped is gone, and of two steps that set
the same label only the second has an effect.

Bad:

```yaml
scrape_configs:
  - job_name: dcgm-exporter
    static_configs: [{targets: ['gpu-1:9400']}]
    metric_relabel_configs:
      - {action: labeldrop, regex: Hostname}
      - {source_labels: [Hostname], target_label: node}
```

Good:

```yaml
scrape_configs:
  - job_name: dcgm-exporter
    static_configs: [{targets: ['gpu-1:9400']}]
    metric_relabel_configs:
      - {source_labels: [Hostname], target_label: node}
      - {action: labeldrop, regex: Hostname}
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuobs.checks._scrape_jobs import (
    BY_NAME,
    EVERYTHING,
    SETTING,
    made_before,
    sets_at_target,
    stages,
    target_labels,
    written_labels,
)
from gpuobs.diagnostics import Diagnostic, Related, error, warning
from gpuobs.ir import Program
from gpuobs.promql import re2
from gpuobs.promql.labelset import NAME
from gpuobs.promql.relabel import Step
from gpuobs.scraping import Relabeling, ScrapeJob

CODE = "scrape/order"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for job, steps, of_metrics in stages(program):
        for index, each in enumerate(steps):
            for place, label in enumerate(each.step.sources):
                if label != NAME:
                    yield from _dropped(steps, index, place, label)
                    yield from _set_later(program, job, steps, index, (place, label), of_metrics)
            yield from _overwritten(steps, index)


def _takes(step: Step, label: str) -> bool:
    """Whether a step takes a label away by its name."""
    regex = re2.anchored(step.regex)
    if regex is None or step.action not in ("labeldrop", "labelkeep"):
        return False
    return (regex.fullmatch(label) is not None) == (step.action == "labeldrop")


def _dropped(
    steps: Sequence[Relabeling], index: int, place: int, label: str
) -> Iterator[Diagnostic]:
    """A label that an earlier step took away and none has set since."""
    for earlier in range(index - 1, -1, -1):
        if made_before([steps[earlier].step], label):
            return
        if _takes(steps[earlier].step, label):
            message = f"'{label}' is gone: an earlier step drops it"
            related = (Related(steps[earlier].place("regex"), "dropped here"),)
            span = steps[index].place("source_labels", place)
            yield error(span, CODE, message, "put this step before the one that drops it", related)
            return


def _set_later(
    program: Program,
    job: ScrapeJob,
    steps: Sequence[Relabeling],
    index: int,
    read: tuple[int, str],
    of_metrics: bool,
) -> Iterator[Diagnostic]:
    """A label that is not there before a later step sets it."""
    place, label = read
    later = next(
        (s for s in steps[index + 1 :] if s.step.action in SETTING and s.step.target == label), None
    )
    if later is None or made_before([each.step for each in steps[:index]], label):
        return
    if _is_there(program, job, label, of_metrics):
        return
    message = f"'{label}' is not set yet: a later step sets it"
    related = (Related(later.place("target_label"), "set here"),)
    span = steps[index].place("source_labels", place)
    yield error(span, CODE, message, "put this step after the one that sets it", related)


def _is_there(program: Program, job: ScrapeJob, label: str, of_metrics: bool) -> bool:
    """Whether a label may be there before any step."""
    if not of_metrics:
        return sets_at_target(job, label)
    if label.startswith("__"):
        return False
    written = written_labels(program, job)
    return not written or label in written or label in target_labels(job)


def _overwritten(steps: Sequence[Relabeling], index: int) -> Iterator[Diagnostic]:
    """A label that is set and set anew, whatever it was, before any step reads it."""
    first = steps[index]
    target = first.step.target
    if first.step.action not in SETTING or "$" in target or not target:
        return
    for later in steps[index + 1 :]:
        if _reads(later.step, target):
            return
        if later.step.target == target and _always_sets(later.step):
            message = f"a later step sets '{target}' anew, so that this one has no effect"
            related = (Related(later.place("target_label"), "set anew here"),)
            yield warning(first.place("target_label"), CODE, message, "remove one of them", related)
            return


def _reads(step: Step, label: str) -> bool:
    compared = step.action in ("keepequal", "dropequal") and step.target == label
    return label in step.sources or compared or step.action in BY_NAME


def _always_sets(step: Step) -> bool:
    return step.action in SETTING and (step.action != "replace" or step.regex in EVERYTHING)
