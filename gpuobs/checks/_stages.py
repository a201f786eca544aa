"""The two stages of a job's relabelling: which labels are there before its first step, and why others are not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpuobs import names
from gpuobs.checks import _kubernetes
from gpuobs.checks._scrape_jobs import (
    exporters,
    is_open,
    likeness,
    made_before,
    meant_meta,
    roles,
    roles_that_set,
    sets_at_target,
    target_labels,
    written_labels,
)
from gpuobs.exporters import ExporterInUse
from gpuobs.ir import Program
from gpuobs.nearest import slip
from gpuobs.promql.labelset import NAME
from gpuobs.promql.relabel import Step
from gpuobs.scraping import Relabeling, ScrapeJob
from gpuobs.spec.scalars import LabelName


def at(program: Program, job: ScrapeJob, steps: Sequence[Relabeling], of_metrics: bool) -> Stage:
    """The stage of a job at which some steps stand."""
    if not (of_metrics and steps):
        return Stage(job, of_metrics)
    return Stage(job, of_metrics, exporters(program, job), written_labels(program, job))


@dataclass(frozen=True, slots=True)
class Stage:
    """Steps for targets, or for metrics of these exporters, which arrive with these labels."""

    job: ScrapeJob
    of_metrics: bool
    exporters: tuple[ExporterInUse, ...] = ()
    written: frozenset[str] = frozenset()

    @property
    def things(self) -> str:
        return "sample" if self.of_metrics else "target"

    def key(self, of_metrics: bool) -> str:
        """What a job calls the steps of a stage."""
        if self.job.reader == "operator":
            return "metricRelabelings" if of_metrics else "relabelings"
        return "metric_relabel_configs" if of_metrics else "relabel_configs"

    def unset(self, label: str) -> tuple[str, str] | None:
        """Why a label is not there before any step, and what to do; None where it may be."""
        if self.of_metrics:
            return self._of_series(label)
        if label == NAME:
            return "a target has no metrics yet", f"move the step to {self.key(True)}"
        if sets_at_target(self.job, label):
            return None
        return self._of_target(label)

    def _of_target(self, label: str) -> tuple[str, str]:
        if label == "instance":
            return "'instance' is set after these steps", "read __address__, which it becomes"
        if not label.startswith("__"):
            hint = f"what series have is there in {self.key(True)}"
            return f"no target of this job has the label '{label}'", hint
        if label.startswith("__meta_kubernetes_"):
            others, meant = roles_that_set(label), meant_meta(self.job, label)
            hint = f"role: {others[0]} has it" if others else f"write {meant}" if meant else ""
            if others == ("node",):
                hint += ", or 'attach_metadata: {node: true}' for what runs on nodes"
            return f"{roles(self.job)} targets have no '{label}'", hint
        if label.startswith("__meta_"):
            return f"{roles(self.job)} targets have no '{label}'", ""
        return f"nothing sets '{label}' before this step", ""

    def _of_series(self, label: str) -> tuple[str, str] | None:
        if label.startswith("__") and label != NAME:
            if label.startswith("__tmp"):
                return f"nothing sets '{label}' among these steps", "set it by an earlier one"
            message = f"'{label}' is a label of targets, and gone when metrics are relabelled"
            plain = label.removeprefix("__meta_kubernetes_")
            hint = f"move the step to {self.key(False)}, or copy the label there: target_label: {plain}"
            return message, hint if "__meta_" in label else f"move the step to {self.key(False)}"
        if not self.exporters or label in target_labels(self.job):
            return None
        plain = label.removeprefix("exported_")
        if plain != label and self._stays(plain):
            message = f"no target of this job has a label '{plain}', so that the exporter's stays '{plain}'"
            return message, f"write {plain}"
        return None if label in self.written or label == NAME else self._misspelt(label)

    def _stays(self, label: str) -> bool:
        """Whether an exporter's label meets none of a target, all of whose labels are known."""
        job = self.job
        steps = [each.step for each in job.relabelings]
        known = job.reader == "prometheus" and not is_open(job)
        known = known and not any(s.action == "labelmap" or "$" in s.target for s in steps)
        of_pods = any(label in each.catalog.workload_labels for each in self.exporters)
        return known and of_pods and label not in target_labels(job)

    def _misspelt(self, label: str) -> tuple[str, str] | None:
        """A label that the exporter's series have under another name; other unknown ones may be anybody's."""
        message = f"the series of '{self.exporters[0].catalog.name}' have no label '{label}'"
        meant = likeness(label, self.written) or slip(label, self.written)
        for exporter in self.exporters:
            meant = meant or exporter.renames.get(label, "")
        plain = label.removeprefix("exported_")
        if plain != label and plain in self.written and self.job.honor_labels:
            message += " where honor_labels is on"
            meant = plain
        return (message, f"write {meant}") if meant else None

    def reads_nothing(self, step: Step, before: Sequence[Step]) -> bool:
        """Whether none of a step's sources is there, which is told of them."""
        return bool(step.sources) and all(
            self.unset(label) is not None and not made_before(before, label)
            for label in step.sources
        )

    def is_plain(self, label: str) -> bool:
        """Whether a label's values are names, numbers or addresses, in which nothing separates parts."""
        if not self.of_metrics:
            return _kubernetes.is_plain(label) or label in ("__address__", "instance")
        labels = {"instance", *(label for each in self.exporters for label in _plain(each))}
        return label in labels


def _plain(exporter: ExporterInUse) -> Iterator[str]:
    """Labels of nodes, of GPUs and of what runs on them."""
    identity = exporter.catalog.identity
    for raw in (identity.get(LabelName(each)) for each in (names.NODE, names.GPU, names.GPU_UUID)):
        if raw is not None:
            yield exporter.renames.get(raw, str(raw))
    yield from (exporter.workload_label(each) for each in exporter.catalog.workload_labels)


def effect(stage: Stage, step: Step, matches: bool) -> str:
    """What a step comes to whose pattern always matches, or never."""
    if step.action == "replace":
        return "" if matches else ", so that nothing is replaced"
    if step.action not in ("keep", "drop"):
        return ""
    if matches == (step.action == "drop"):
        return f", so that every {stage.things} is dropped"
    return f", so that no {stage.things} is ever dropped"
