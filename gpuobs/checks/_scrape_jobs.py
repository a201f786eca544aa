"""What is known of a scrape job of others: the exporters behind it, and the labels that there are at each stage."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from gpuobs.checks import _kubernetes
from gpuobs.exporters import TARGET_LABELS, ExporterInUse
from gpuobs.ir import Program
from gpuobs.promql import re2
from gpuobs.promql.labelset import NAME, alternatives
from gpuobs.promql.relabel import Step
from gpuobs.scraping import Discovery, Relabeling, ScrapeJob
from gpuobs.spec.scalars import LabelName

EVERYTHING = (".*", "(.*)")
SETTING = ("replace", "hashmod", "lowercase", "uppercase")
BY_NAME = ("labeldrop", "labelkeep", "labelmap")
# What the scrape adds of itself. It does not pass the steps for metrics.
OF_THE_SCRAPE = (
    "up scrape_duration_seconds scrape_samples_scraped scrape_samples_post_metric_relabeling scrape_series_added "
    "scrape_timeout_seconds scrape_sample_limit scrape_body_size_bytes"
).split()
# Discoveries that give targets labels of any name.
_OPEN = ("file", "http")
_EVERY_TARGET = frozenset(
    {
        "__address__",
        "__scheme__",
        "__metrics_path__",
        "__scrape_interval__",
        "__scrape_timeout__",
        "job",
    }
)
_OF_THE_OPERATOR = frozenset({"__tmp_prometheus_job_name", "__tmp_hash", "node"})
_META = "__meta_"


@lru_cache(maxsize=4096)
def exporters(program: Program, job: ScrapeJob) -> tuple[ExporterInUse, ...]:
    """The fleet's exporters that a job scrapes: the one of its name, else those of whose words its steps have most."""
    assert program.policy is not None
    if job.sends:
        return ()
    found = program.policy.exporters
    same = [each for each in found if str(each.spec.job) in (job.label, job.name)]
    if same:
        return tuple(_scraped_by(job, each) for each in same[:1])
    steps = [each.step for each in job.metric_relabelings]
    counts = {each.catalog.name: _named(each, steps) for each in found if each.catalog.vendor}
    most = max(counts.values(), default=0)
    chosen = [each for each in found if most and counts.get(each.catalog.name) == most]
    return tuple(_scraped_by(job, each) for each in chosen)


def _scraped_by(job: ScrapeJob, exporter: ExporterInUse) -> ExporterInUse:
    """An exporter as this job scrapes it, before its steps."""
    target = dict.fromkeys(map(LabelName, target_labels(job)), "")
    spec = replace(
        exporter.spec,
        honor_labels=job.honor_labels,
        target_labels=target,
        metric_relabelings=(),
        labels={},
    )
    return ExporterInUse(spec, exporter.catalog)


def target_labels(job: ScrapeJob) -> frozenset[str]:
    """Labels that the steps for targets, the listed targets or the operator set, as far as they are known by name."""
    listed = {label for group in job.targets for label in group.labels}
    made = {each.step.target for each in job.relabelings if each.step.action in SETTING}
    found = listed | made | job.added
    return frozenset(
        each for each in found if each and not each.startswith("__") and "$" not in each
    )


def _named(exporter: ExporterInUse, steps: list[Step]) -> int:
    """How many labels and metrics of an exporter some steps name."""
    node = exporter.catalog.identity.get(LabelName("node"), "")
    labels = own_labels(exporter) - {"hostname", exporter.renames.get(node, node)}
    found = 0
    for step in steps:
        if step.action in BY_NAME:
            found += len(labels & (alternatives(step.regex) or set()))
        elif step.sources == (NAME,):
            regex = re2.anchored(step.regex)
            everything = step.regex in (*EVERYTHING, ".+", "(.+)")
            names = () if everything or regex is None else metric_names(exporter)
            prefixes = alternatives(step.regex) or ()
            found += any(regex.fullmatch(each) for each in names if regex is not None)
            found += any(len(p) > 3 and each.startswith(p) for p in prefixes for each in names)
        found += len(labels.intersection(step.sources))
    return found


def metric_names(exporter: ExporterInUse) -> tuple[str, ...]:
    """Every metric of an exporter's catalog, collected or not."""
    return tuple(
        str(name) for metric in exporter.catalog.metrics for name in (metric.name, *metric.aliases)
    )


def own_labels(exporter: ExporterInUse) -> frozenset[str]:
    """Labels that tell an exporter: what it writes of its devices, and not what a scrape adds or other exporters have."""
    catalog = exporter.catalog
    written = {label for labels in catalog.entity_labels.values() for label in labels}
    found = {exporter.renames.get(label, str(label)) for label in written}
    return frozenset(found) - TARGET_LABELS - set(map(str, catalog.workload_labels))


@lru_cache(maxsize=4096)
def written_labels(program: Program, job: ScrapeJob) -> frozenset[str]:
    """Every label that series of a job's exporters may arrive with; none where it is not known which these are."""
    return frozenset(
        label
        for exporter in exporters(program, job)
        for _, metric in exporter.collected()
        for label in exporter.scraped(metric).possible
    )


# The stage of targets -------------------------------------------------------------------------------------------------


def is_open(job: ScrapeJob) -> bool:
    """Whether targets may have labels that nothing here names."""
    return job.discovers(*_OPEN) or not job.discoveries


def sets_at_target(job: ScrapeJob, label: str) -> bool:
    """Whether a target may have a label before the job's own steps."""
    if is_open(job) or label in _EVERY_TARGET or label.startswith("__param_"):
        return label != NAME
    if any(label in group.labels for group in job.targets) or label in job.added:
        return True
    if job.reader == "operator" and label in _OF_THE_OPERATOR:
        return True
    if label == "instance":
        return any(each.role == "node" for each in job.discoveries)
    return label.startswith(_META) and _is_meta(job, label)


def _is_meta(job: ScrapeJob, label: str) -> bool:
    for discovery in job.discoveries:
        mechanism, rest = discovery.mechanism, label.removeprefix(_META)
        if mechanism == "kubernetes":
            objects = _objects(discovery)
            begins = rest.removeprefix("kubernetes_")
            of_these = begins != rest and begins.startswith(objects)
            if not objects or (of_these and not _kubernetes.meant(label, objects)):
                return True
        elif mechanism != "static" and rest.startswith(mechanism):
            return True
    return False


def _objects(discovery: Discovery) -> tuple[str, ...]:
    """The objects of Kubernetes whose labels targets have; none where the role is not known."""
    attached = ("node_", "namespace_") if discovery.attached else ()
    known = _kubernetes.OBJECTS.get(discovery.role)
    return () if known is None else (*known, *attached)


def may_begin(job: ScrapeJob, text: str) -> bool:
    """Whether labels of Kubernetes' discovery that a job's targets have may begin with a text."""
    rest = text.removeprefix(_kubernetes.META)
    return any(rest.startswith(_objects(each)) for each in job.discoveries)


def meant_meta(job: ScrapeJob, label: str) -> str:
    """The label of Kubernetes' discovery that one is a misspelling of; empty where it is like none."""
    found = (_kubernetes.meant(label, _objects(each)) for each in job.discoveries)
    return next(filter(None, found), "") if label.startswith(_kubernetes.META) else ""


def roles(job: ScrapeJob) -> str:
    """How a job finds its targets, for people."""
    found = (f"{each.mechanism} {each.role}".strip() for each in job.discoveries)
    return " and ".join(dict.fromkeys(found))


def roles_that_set(label: str) -> tuple[str, ...]:
    """Roles of Kubernetes' discovery whose targets have a label."""
    rest = label.removeprefix(_kubernetes.META)
    return tuple(
        role
        for role, objects in _kubernetes.OBJECTS.items()
        if rest.startswith(objects) and not _kubernetes.meant(label, objects)
    )


# Steps ---------------------------------------------------------------------------------------------------------------


def made_before(steps: Iterable[Step], label: str) -> bool:
    """Whether one of some steps may set a label."""
    for step in steps:
        if step.action in SETTING and (step.target == label or "$" in step.target):
            return True
        if step.action == "labelmap":
            return True
    return False


def stages(program: Program) -> Iterator[tuple[ScrapeJob, tuple[Relabeling, ...], bool]]:
    """Every job's steps for targets, and then those for metrics, which the last value tells; those of remote writes too."""
    for configuration in program.configurations:
        for job in configuration.jobs:
            yield job, job.relabelings, False
            yield job, job.metric_relabelings, True
        for write in configuration.remote_writes:
            yield write.as_job(), write.relabelings, True


def matches_empty(step: Step) -> bool | None:
    """Whether a step's pattern takes what sources without any value give; None where that is not known."""
    regex = re2.anchored(step.regex)
    empty = step.separator * max(0, len(step.sources) - 1)
    return None if regex is None else regex.fullmatch(empty) is not None


def likeness(label: str, known: Iterable[str]) -> str:
    """The label that another is meant to be: the same but for its case or for underscores, if there is one."""
    plain = _plain(label)
    return next((each for each in sorted(known) if each != label and _plain(each) == plain), "")


def _plain(label: str) -> str:
    return re.sub(r"_", "", label).lower()
