"""A step that can do nothing: its pattern matches no value or label that is there.

Patterns match whole values, so that `GPU_I` is no label and `DCGM_FI` no metric, and labels have capitals: `Hostname` became
`hostname` with an exporter's version. Several sources are joined by ';', unless `separator` is another. What the scrape adds of itself, such as `up`, passes no step for metrics.

Bad:

```yaml
scrape_configs:
  - job_name: dcgm-exporter
    static_configs: [{targets: ['gpu-1:9400']}]
    metric_relabel_configs: [{action: labeldrop, regex: uuid|pci_bus_id}]
```

Good:

```yaml
scrape_configs:
  - job_name: dcgm-exporter
    static_configs: [{targets: ['gpu-1:9400']}]
    metric_relabel_configs: [{action: labeldrop, regex: UUID|pci_bus_id}]
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuobs.checks._joined import wanted_separator
from gpuobs.checks._patterns import beginnings
from gpuobs.checks._scrape_jobs import (
    BY_NAME,
    OF_THE_SCRAPE,
    exporters,
    likeness,
    made_before,
    may_begin,
    roles,
    sets_at_target,
    stages,
    target_labels,
    written_labels,
)
from gpuobs.checks._stages import Stage, at, effect
from gpuobs.diagnostics import Diagnostic, warning
from gpuobs.ir import Program
from gpuobs.nearest import slip
from gpuobs.promql import re2
from gpuobs.promql.labelset import NAME, alternatives
from gpuobs.promql.relabel import Step
from gpuobs.scraping import Relabeling, ScrapeJob

CODE = "scrape/never-matches"
SEVERITY = "warning"
_META = "__meta_"


def check(program: Program) -> Iterator[Diagnostic]:
    for job, steps, of_metrics in stages(program):
        stage = at(program, job, steps, of_metrics)
        for index, each in enumerate(steps):
            reasons = _reasons(program, job, steps[:index], each, of_metrics)
            for message, hint in (*_of_separator(stage, each.step), *reasons):
                yield warning(each.place("regex"), CODE, message, hint)


def _of_separator(stage: Stage, step: Step) -> Iterator[tuple[str, str]]:
    if wanted := wanted_separator(step, stage.is_plain):
        message = f"no value has '{wanted}', and the sources are joined by '{step.separator}'"
        yield message + effect(stage, step, matches=False), f"add separator: '{wanted}'"


def _reasons(
    program: Program,
    job: ScrapeJob,
    before: Sequence[Relabeling],
    each: Relabeling,
    of_metrics: bool,
) -> Iterator[tuple[str, str]]:
    step = each.step
    if step.action in BY_NAME and step.regex.startswith(_META):
        yield from _of_meta(job, before, each, of_metrics)
    elif step.action in BY_NAME and of_metrics:
        yield from _of_labels(program, job, before, each)
    elif step.sources == (NAME,) and of_metrics:
        yield from _of_names(program, job, each)
    elif len(step.sources) == 1 and step.sources[0] == "job" and job.label and not of_metrics:
        regex = re2.anchored(step.regex)
        set_before = made_before([one.step for one in before], "job")
        if step.action != "keep" and regex and not regex.fullmatch(job.label) and not set_before:
            yield f"the job of these targets is '{job.label}', which the pattern does not match", ""


def _of_meta(
    job: ScrapeJob, before: Sequence[Relabeling], each: Relabeling, of_metrics: bool
) -> Iterator[tuple[str, str]]:
    """Labels of targets at the wrong stage, or with a role that does not have them."""
    if made_before([one.step for one in before], each.step.regex):
        return
    if of_metrics:
        message = f"no label begins with '{_META}' when metrics are relabelled"
        yield message, "move the step to the steps for targets"
        return
    literal = each.step.regex.split("(")[0].split(".")[0]
    begins = f"{_META}kubernetes_"
    named = literal.startswith(begins) and literal != begins
    if named and not (sets_at_target(job, literal) or may_begin(job, literal)):
        yield f"{roles(job)} targets have no label that begins with '{literal}'", ""


def _of_labels(
    program: Program, job: ScrapeJob, before: Sequence[Relabeling], each: Relabeling
) -> Iterator[tuple[str, str]]:
    """Labels that the series of the job's exporter have in another spelling, or only the beginning of which is written."""
    wanted, found = alternatives(each.step.regex), exporters(program, job)
    if not wanted or not found:
        return
    written = written_labels(program, job) | {NAME} | target_labels(job)
    chain = [one.step for one in before]
    for label in sorted(wanted - written):
        if made_before(chain, label):
            continue
        renamed = next((e.renames[label] for e in found if label in e.renames), "")
        meant = likeness(label, written) or renamed or slip(label, written)
        message = f"the series of '{found[0].catalog.name}' have no label '{label}'"
        if meant and meant not in wanted:
            yield message, f"write {meant}"
        elif len(label) > 3 and any(each_of.startswith(label) for each_of in written):
            yield message, f"a pattern matches the whole name: write {label}.*"


def _of_names(program: Program, job: ScrapeJob, each: Relabeling) -> Iterator[tuple[str, str]]:
    wanted = alternatives(each.step.regex) or frozenset()
    known = program.policy.known if program.policy else {}
    short = [name for name in sorted(wanted) if beginnings(program, name)]
    slips = {
        name: slip(name, known) for name in sorted(wanted - {*known, *program.records, *short})
    }
    own = [name for name in sorted(wanted) if name in OF_THE_SCRAPE]
    if each.step.action == "keep" and len(short) == len(wanted):
        return
    for name in short:
        message = f"no metric is called '{name}'"
        yield message, f"a pattern matches the whole name: write {name}.*"
    for name, meant in slips.items():
        if meant is not None and meant not in wanted:
            yield f"no metric is called '{name}'", f"write {meant}"
    if own and each.step.action == "drop" and not job.sends:
        message = f"'{own[0]}' is made by the scrape itself, and passes no step for metrics"
        yield message, "remove it"
