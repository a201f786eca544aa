"""A step drops every target or every sample of its job.

The target is up, the scrape succeeds, and nothing is stored. Patterns match whole values: `DCGM_FI` is no beginning of a name.
A step that takes `__name__` away is no better: Prometheus refuses every scrape with such a series.

Bad:

```yaml
scrape_configs:
  - job_name: dcgm-exporter
    static_configs: [{targets: ['gpu-1:9400']}]
    metric_relabel_configs: [{action: keep, source_labels: [__name__], regex: DCGM_FI}]
```

Good:

```yaml
scrape_configs:
  - job_name: dcgm-exporter
    static_configs: [{targets: ['gpu-1:9400']}]
    metric_relabel_configs: [{action: keep, source_labels: [__name__], regex: DCGM_FI_.*}]
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuobs.checks._patterns import beginnings, names_of
from gpuobs.checks._scrape_jobs import EVERYTHING, exporters, sets_at_target, stages
from gpuobs.checks._stages import at
from gpuobs.checks._targets import can_run, listed
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.ir import Program
from gpuobs.promql import re2
from gpuobs.promql.labelset import NAME, Labels, alternatives
from gpuobs.promql.relabel import Step, of_labels, relabelled
from gpuobs.scraping import Relabeling, ScrapeJob

CODE = "scrape/drops-all"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for job, steps, of_metrics in stages(program):
        found = next(_reasons(program, job, steps, of_metrics), None)
        if found is not None:
            step, key, message, hint = found
            yield error(step.place(key), CODE, message, hint)


Reason = tuple[Relabeling, str, str, str]


def _reasons(
    program: Program, job: ScrapeJob, steps: Sequence[Relabeling], of_metrics: bool
) -> Iterator[Reason]:
    """Why nothing is left, of the first step after which that is so."""
    stage = at(program, job, steps, of_metrics)
    what = stage.things
    for index, each in enumerate(steps):
        if stage.reads_nothing(each.step, [earlier.step for earlier in steps[:index]]):
            continue
        if _is_for_nothing(each.step):
            yield each, _key(each), f"this step drops every {what}", _hint(each)
        if of_metrics and not job.sends and _takes_name(each.step):
            message = "this step takes '__name__' away, and Prometheus refuses the whole scrape"
            hint = (
                "let the pattern match __name__ too"
                if each.step.action == "labelkeep"
                else "name the labels"
            )
            yield each, "regex", message, hint
        if of_metrics:
            yield from _of_names(program, job, steps, index)
        else:
            yield from _of_targets(job, steps, index)


def _is_for_nothing(step: Step) -> bool:
    """A step that drops whatever comes, by itself."""
    if step.action == "drop":
        return step.regex in EVERYTHING
    if step.action == "dropequal":
        return step.sources == (step.target,)
    regex = re2.anchored(step.regex)
    return (
        step.action == "keep" and not step.sources and regex is not None and not regex.fullmatch("")
    )


def _key(each: Relabeling) -> str:
    return "regex" if each.written.get("regex") is not None else "action"


def _hint(each: Relabeling) -> str:
    if not each.step.sources:
        return "say in source_labels what the pattern is for"
    return "" if each.written.get("regex") is not None else "say in regex what is to be dropped"


def _takes_name(step: Step) -> bool:
    regex = re2.anchored(step.regex)
    if regex is None or step.action not in ("labelkeep", "labeldrop"):
        return False
    return (regex.fullmatch(NAME) is not None) == (step.action == "labeldrop")


def _of_names(
    program: Program, job: ScrapeJob, steps: Sequence[Relabeling], index: int
) -> Iterator[Reason]:
    """A `keep` by names after which no metric of the exporter is left."""
    each = steps[index]
    if each.step.action != "keep" or each.step.sources != (NAME,):
        return
    wanted = alternatives(each.step.regex)
    if wanted and all(beginnings(program, each_of) for each_of in wanted):
        first = min(wanted)
        message = f"no metric is called '{first}', so that this step drops every sample"
        yield each, "regex", message, f"a pattern matches the whole name: write {first}.*"
        return
    found = exporters(program, job)
    metrics = [(name, metric, each_of) for each_of in found for name, metric in names_of(each_of)]
    chain = [step.step for step in steps[: index + 1]]
    left = (of_labels(each_of.scraped(metric), name, chain) for name, metric, each_of in metrics)
    if metrics and can_run(steps[: index + 1]) and all(labels is None for labels in left):
        message = f"no metric of '{found[0].catalog.name}' is left after this step"
        yield each, "regex", message, "a pattern matches the whole name"


def _of_targets(job: ScrapeJob, steps: Sequence[Relabeling], index: int) -> Iterator[Reason]:
    """Filters by labels of targets that are known: all of them where they are listed, else the job's name."""
    each = steps[index]
    if each.step.action not in ("keep", "drop", "keepequal", "dropequal"):
        return
    chain = [step.step for step in steps[: index + 1]]
    if job.is_listed and can_run(steps[: index + 1]):
        targets = listed(job)
        read = [label for label in each.step.sources if label != NAME]
        known = all(sets_at_target(job, label) or label in made_by(chain) for label in read)
        if targets and known and all(relabelled(target, chain) is None for target in targets):
            yield each, _key(each), "this step drops every target of the job", ""
        return
    every = frozenset({"job", "__address__"})
    values = {"job": frozenset((job.label,))} if job.label else {}
    if of_labels(Labels(every, every, open=True, values=values), "", chain) is None:
        yield each, _key(each), "this step drops every target of the job", ""


def made_by(steps: Sequence[Step]) -> frozenset[str]:
    return frozenset(step.target for step in steps if step.target)
