"""Targets that the steps of a job leave with the same labels, so that their series become one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpuobs.checks._identity import after, begin
from gpuobs.checks._scrape_jobs import is_open
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.promql import re2
from gpuobs.promql.relabel import Step, relabelled
from gpuobs.scraping import Relabeling, ScrapeJob

_MOST = 200


def listed(job: ScrapeJob) -> list[dict[str, str]]:
    """The labels of each listed target before its steps."""
    every = {"job": job.label or job.name, "__scheme__": "http", "__metrics_path__": "/metrics"}
    every |= {"__scrape_interval__": job.interval, "__scrape_timeout__": job.timeout}
    return [
        {**every, **group.labels, "__address__": address}
        for group in job.targets
        for address in group.addresses
    ][:_MOST]


def can_run(steps: Sequence[Relabeling]) -> bool:
    """Whether the steps can be run here as Prometheus runs them."""
    return all(re2.anchored(each.step.regex) is not None for each in steps)


def stored(target: Mapping[str, str], steps: Sequence[Step]) -> dict[str, str] | None:
    """The labels that a target's series get; None where it is dropped."""
    left = relabelled(target, steps)
    if left is None or not left.get("__address__"):
        return None
    visible = {label: value for label, value in left.items() if not label.startswith("__")}
    return {"instance": left["__address__"], **visible}


def colliding(job: ScrapeJob, code: str) -> Iterator[Diagnostic]:
    """Two targets that are told apart before the steps and not after them."""
    if not job.relabelings or not job.discoveries:
        return
    if not job.is_listed:
        yield from _found(job, code)
    elif can_run(job.relabelings):
        yield from _listed(job, code)


def _listed(job: ScrapeJob, code: str) -> Iterator[Diagnostic]:
    """The first two listed targets that end with the same labels, at the step after which they have them."""
    steps = [each.step for each in job.relabelings]
    first: dict[frozenset[tuple[str, str]], Mapping[str, str]] = {}
    for target in listed(job):
        end = stored(target, steps)
        if end is None:
            continue
        other = first.setdefault(frozenset(end.items()), target)
        if _differ(other, target):
            alike = (n for n in range(len(steps)) if not _differ(other, target, steps[: n + 1]))
            address, same = (each["__address__"] for each in (other, target))
            message = (
                f"the targets '{address}' and '{same}' have the same labels after this step, "
                "so that their series become one"
            )
            yield _finding(job.relabelings[next(alike)], code, message)
            return


def _differ(one: Mapping[str, str], other: Mapping[str, str], steps: Sequence[Step] = ()) -> bool:
    """Whether two targets have different labels after some steps."""
    return stored(one, steps) != stored(other, steps)


def _found(job: ScrapeJob, code: str) -> Iterator[Diagnostic]:
    """Targets that are discovered: nothing that is left of them depends on which one it is."""
    if is_open(job) or job.added - {"job"}:
        return
    sources = {label for each in job.relabelings for label in each.step.sources}
    told = {"__address__"} | {label for label in sources if label.startswith("__meta_")}
    if any(each.role == "node" for each in job.discoveries):
        told.add("instance")
    traces = begin(told | {"job"}, told)
    for each in job.relabelings:
        if each.step.action in ("keep", "drop", "keepequal", "dropequal"):
            continue
        if each.step.action == "labelmap":
            return
        following = after(traces, "", each.step)
        if following is None:
            return
        visible = {k: v for k, v in following.labels.items() if not k.startswith("__")}
        own = following.labels.get("instance") or following.labels.get("__address__")
        shown = [*visible.values(), *([own] if own else [])]
        if own is not None and all(trace.of.isdisjoint(told) for trace in shown):
            later = job.relabelings[job.relabelings.index(each) + 1 :]
            if any(step.step.target and step.step.sources for step in later):
                return
            message = (
                "all targets have the same labels after this step, so that their series become one"
            )
            yield _finding(each, code, message)
            return
        traces = following


def _finding(step: Relabeling, code: str, message: str) -> Diagnostic:
    place = "target_label" if step.step.target else "regex"
    hint = "leave 'instance' to be the address, or set it from what differs"
    return error(step.place(place), code, message, hint)
