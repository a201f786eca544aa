"""The Fleet's exporters with their catalogs, and what is wrong with how they are scraped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuobs import catalog, promql
from gpuobs.diagnostics import Diagnostic, error
from gpuobs.nearest import did_you_mean
from gpuobs.policy import ExporterInUse
from gpuobs.spec.model import Fleet, MetricCatalog, Relabeling


def in_use(
    fleet: Fleet, own: Mapping[str, MetricCatalog], problems: list[Diagnostic]
) -> tuple[ExporterInUse, ...]:
    """The exporters with their catalogs, the project's own before the built-in ones."""
    found: list[ExporterInUse] = []
    for exporter in fleet.exporters:
        chosen = own.get(exporter.catalog) or catalog.metric_catalog(exporter.catalog)
        if chosen is None:
            known = {*own, *catalog.metric_catalog_names()}
            message = f"no MetricCatalog '{exporter.catalog}'"
            hint = did_you_mean(exporter.catalog, known)
            problems.append(
                error(exporter.where("catalog"), "fleet/unknown-catalog", message, hint)
            )
            continue
        groups = {group for metric in chosen.metrics for group in metric.groups}
        single = {name for metric in chosen.metrics for name in (metric.name, *metric.aliases)}
        for index, wanted in enumerate(exporter.collect):
            if wanted not in groups | single and wanted != "default":
                message = f"catalog '{chosen.name}' has no metric group and no metric '{wanted}'"
                hint = did_you_mean(wanted, groups | single) or "groups: " + ", ".join(
                    sorted(groups)
                )
                place = exporter.where("collect", index)
                problems.append(error(place, "fleet/unknown-group", message, hint))
        if exporter.version and not any(c.isdigit() for c in exporter.version):
            message = f"'{exporter.version}' is no version"
            hint = "known: " + ", ".join(chosen.versions) if chosen.versions else ""
            problems.append(error(exporter.where("version"), "fleet/version", message, hint))
        elif chosen.changes and not exporter.version:
            message = f"what '{chosen.name}' writes depends on its version, which is not given"
            hint = f"add 'version: {chosen.versions[-1]}', or the one that runs"
            problems.append(error(exporter.where("catalog"), "fleet/version", message, hint))
        steps = [each for step in exporter.metric_relabelings for each in _step_problems(step)]
        used = ExporterInUse(exporter, chosen)
        problems.extend(steps or _lost_identity(used))
        found.append(used)
    return tuple(found)


_SETTING = ("replace", "hashmod", "lowercase", "uppercase", "keepequal", "dropequal")


def _step_problems(step: Relabeling) -> Iterator[Diagnostic]:
    """Why Prometheus would refuse a step, and what the analysis cannot follow."""
    code = "fleet/relabeling"
    if step.action in _SETTING and not step.target_label:
        message = f"'{step.action}' needs a 'targetLabel'"
        yield error(step.where(), code, message, "name the label that it sets or compares")
    if step.target_label == "__name__":
        message = "a metric that is renamed here would be unknown under its new name"
        hint = "keep its name, and record it under another one"
        yield error(step.where("targetLabel"), code, message, hint)
    elif "$" in step.target_label:
        message = "a label whose name is made of a value cannot be followed"
        yield error(step.where("targetLabel"), code, message, "name the label")
    if step.action == "hashmod" and not step.modulus:
        yield error(step.where(), code, "'hashmod' needs a 'modulus' above 0", "modulus: 16")
    refused = promql.regex_problem(step.regex)
    if refused:
        message = f"Prometheus cannot compile this regular expression: {refused}"
        yield error(step.where("regex"), code, message)


def _lost_identity(exporter: ExporterInUse) -> Iterator[Diagnostic]:
    """A label that tells nodes or GPUs apart, and that relabelling takes away."""
    for canonical in exporter.catalog.identity:
        if exporter.relabelings and exporter.label(canonical) is None:
            message = f"these steps leave no label that says the {canonical.replace('_', ' ')}"
            hint = f"keep '{exporter.catalog.identity[canonical]}', or copy it to another label before it is dropped"
            yield error(exporter.spec.where("metricRelabelings"), "fleet/relabeling", message, hint)
