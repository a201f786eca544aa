"""Steps of a scrape take away what tells series apart, so that several become one.

Prometheus stores the first sample and refuses the others with the same labels. No error is shown: the value that is left is
that of one GPU, and which one may change. To have fewer series, add them up in a recording rule, where the sum is right.
One label that tells the GPUs apart is enough to keep them.

Bad:

```yaml
scrape_configs:
  - job_name: dcgm-exporter
    static_configs: [{targets: ['gpu-1:9400']}]
    metric_relabel_configs: [{action: labeldrop, regex: gpu|UUID|device|pci_bus_id}]
```

Good:

```yaml
scrape_configs:
  - job_name: dcgm-exporter
    static_configs: [{targets: ['gpu-1:9400']}]
    metric_relabel_configs: [{action: labeldrop, regex: UUID|device|pci_bus_id}]
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuobs.checks._identity import Traces, after, begin
from gpuobs.checks._merging import Apart, dimensions
from gpuobs.checks._scrape_jobs import exporters, own_labels
from gpuobs.checks._targets import can_run, colliding
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.exporters import ExporterInUse, series_of
from gpuobs.ir import Program
from gpuobs.promql import re2
from gpuobs.promql.labelset import NAME
from gpuobs.promql.relabel import Step, relabelled
from gpuobs.scraping import Relabeling, ScrapeJob
from gpuobs.spec.model import Metric

CODE = "scrape/identity-dropped"
SEVERITY = "error"


def check(program: Program) -> Iterator[Diagnostic]:
    for configuration in program.configurations:
        for job in configuration.jobs:
            yield from colliding(job, CODE)
            if job.metric_relabelings:
                yield from _of_metrics(program, job)


def _of_metrics(program: Program, job: ScrapeJob) -> Iterator[Diagnostic]:
    """What each step loses first, of the first metric that loses it."""
    assert program.policy is not None
    told: set[int] = set()
    for exporter in exporters(program, job):
        yield from _of_names(job, exporter)
        for name, metric in _kinds(job, exporter):
            for apart in dimensions(program.policy, job, exporter, metric):
                index = _lost(job.metric_relabelings, exporter, name, metric, apart)
                if index is not None and index not in told:
                    told.add(index)
                    yield _finding(job, index, exporter, name, metric, apart)


def _kinds(job: ScrapeJob, exporter: ExporterInUse) -> Iterator[tuple[str, Metric]]:
    """The series that are collected: one of each kind, with what the steps that read names make of them."""
    reading = [each.step for each in job.metric_relabelings if NAME in each.step.sources]
    seen = set()
    for collected, whole in exporter.collected():
        for name, metric in series_of(collected, whole):
            mig = "mig" in metric.unsupported
            kind = (metric.per, metric.labels, metric.sometimes, tuple(metric.each.items()), mig)
            read = tuple(_read(step, name) for step in reading)
            if (kind, read) not in seen:
                seen.add((kind, read))
                yield name, metric


def _read(step: Step, name: str) -> object:
    """All that a step's outcome depends on of a metric's name."""
    regex = re2.anchored(step.regex)
    if step.action in ("keep", "drop") and step.sources == (NAME,) and regex is not None:
        return regex.fullmatch(name) is not None
    return name


def _of_names(job: ScrapeJob, exporter: ExporterInUse) -> Iterator[Diagnostic]:
    """Metrics of one kind that get the same name."""
    steps = [each for each in job.metric_relabelings if set(each.step.sources) <= {NAME}]
    naming = [each for each in steps if each.step.action == "replace" and each.step.target == NAME]
    if not naming or not can_run(steps):
        return
    chain = [each.step for each in steps if each in naming or each.step.action in ("keep", "drop")]
    first: dict[tuple[str, object], str] = {}
    for name, metric in _kinds(job, exporter):
        left = relabelled({NAME: name}, chain)
        renamed = (left or {}).get(NAME, "")
        other = first.setdefault((renamed, (metric.per, metric.labels)), name)
        if renamed and other != name:
            message = f"'{other}' and '{name}' are both '{renamed}' after this step, so that their series become one"
            yield error(naming[-1].place("replacement"), CODE, message, "keep their names apart")
            return


def _traces(
    steps: Sequence[Relabeling], exporter: ExporterInUse, name: str, metric: Metric
) -> Iterator[Traces | None]:
    """What is told before the first step, and after each of them."""
    labels = exporter.scraped(metric)
    found: Traces | None = begin(labels.possible | {NAME}, labels.certain | {NAME})
    yield found
    for each in steps:
        found = None if found is None else after(found, name, each.step)
        yield found


def _lost(
    steps: Sequence[Relabeling], exporter: ExporterInUse, name: str, metric: Metric, apart: Apart
) -> int | None:
    """The step after which things are not told apart; None where they are at the end, or that is not known."""
    traces = list(_traces(steps, exporter, name, metric))
    last, first = traces[-1], traces[0]
    if last is None or first is None or NAME not in last.labels:
        return None
    if not first.tells(apart.labels, apart.count) or last.tells(apart.labels, apart.count):
        return None
    tell = [trace is not None and trace.tells(apart.labels, apart.count) for trace in traces]
    return tell.index(False) - 1


def _finding(
    job: ScrapeJob,
    index: int,
    exporter: ExporterInUse,
    name: str,
    metric: Metric,
    apart: Apart,
) -> Diagnostic:
    traces = list(_traces(job.metric_relabelings, exporter, name, metric))
    last = traces[-1]
    assert last is not None
    one, other = apart.examples(exporter.scraped(metric).possible)
    own = own_labels(exporter)
    merged = f"{name}{{{', '.join(sorted(last.certain & last.labels.keys() & own))}}}"
    become = last.capacity(apart.labels)
    message = (
        f"nothing tells the {apart.what} apart after this step: {apart.count} series become {become}; "
        f"{name}{{{one}}} and {name}{{{other}}} are both {merged}"
    )
    step = job.metric_relabelings[index]
    kept = sorted(apart.labels & exporter.scraped(metric).possible)
    hint = f"keep one of {', '.join(kept)}" if len(kept) > 1 else f"keep {kept[0]}"
    hint += ", or aggregate in a recording rule instead"
    place = "target_label" if step.step.target else "regex"
    return error(step.place(place), CODE, message, hint)
