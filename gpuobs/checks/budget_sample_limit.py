"""A scrape has a `sample_limit` that the samples of one of its targets pass.

Nothing is cut off: Prometheus refuses the whole scrape, `up` is 0, and every alert of that node is blind, while
`scrape_samples_post_metric_relabeling` still has the number. It is told where the fleet is known: the samples are those of the
pool that has most, with all that can happen on it. Scrapes that gpuobs generates have a limit with headroom.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpuobs.budget import census
from gpuobs.budget.census import Line
from gpuobs.budget.limits import of_target
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.exporters import ExporterInUse
from gpuobs.ir import Program
from gpuobs.policy import Policy
from gpuobs.promql.relabel import of_labels
from gpuobs.scraping import ScrapeJob

CODE = "budget/sample-limit"
SEVERITY = "error"
_HEADROOM = 0.2


def check(program: Program) -> Iterator[Diagnostic]:
    policy = program.policy
    if policy is None or policy.is_assumed:
        return
    for configuration in program.configurations:
        for job in configuration.jobs:
            yield from _of_job(policy, job)


def _of_job(policy: Policy, job: ScrapeJob) -> Iterator[Diagnostic]:
    limit, exporter = job.limits.get("sample_limit"), _exporter(policy, job)
    if limit is None or not limit.value or exporter is None:
        return
    found = [
        (*of_target(_kept(policy, exporter, job, str(pool.name))), str(pool.name))
        for _, pool, model in policy.pools
        if model.vendor == exporter.catalog.vendor
    ]
    samples, how, pool = max(found, default=(0, "", ""))
    if samples > limit.value:
        message = (
            f"a target of pool '{pool}' brings up to {samples:,} samples, and with more than {limit.value:,} "
            f"all of them are lost: {how}"
        )
        enough = math.ceil(samples * (1 + _HEADROOM))
        yield error(limit.span, CODE, message, f"sample_limit: {enough}")


def _exporter(policy: Policy, job: ScrapeJob) -> ExporterInUse | None:
    """The exporter of GPUs that a job scrapes: that of the Fleet with its `job`."""
    of = [e for e in policy.exporters if e.catalog.vendor and e.spec.job in (job.label, job.name)]
    return of[0] if len(of) == 1 else None


def _kept(policy: Policy, exporter: ExporterInUse, job: ScrapeJob, pool: str) -> Iterator[Line]:
    """What is left for the limit to count after the job's own relabelling."""
    steps = tuple(each.step for each in job.metric_relabelings)
    for line in census.lines(policy):
        if line.exporter is exporter and line.pool == pool:
            scraped = exporter.scraped(line.metric)
            if not steps or of_labels(scraped, line.name, steps) is not None:
                yield line
