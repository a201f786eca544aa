"""Configurations of others as jobs and remote writes, with all that their reader would refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from gpuobs.diagnostics import Diagnostic, Related, Span, error
from gpuobs.foreign.kinds import Scrapes
from gpuobs.foreign.scrape import steps, whole_file
from gpuobs.foreign.scrape.forms import TRUTHS, Forms, missing, whole
from gpuobs.foreign.scrape.keys import ROOTS, Version
from gpuobs.foreign.structure import first_key
from gpuobs.scraping import (
    Configuration,
    Discovery,
    Limit,
    RemoteWrite,
    ScrapeJob,
    StaticTargets,
    camel,
)
from gpuobs.spec.node import Node

LIMITS = (
    "sample_limit",
    "target_limit",
    "label_limit",
    "label_name_length_limit",
    "label_value_length_limit",
)
# What the operator's own steps set on the targets of a monitor.
_OF_SERVICE = frozenset({"namespace", "service", "pod", "container", "endpoint", "job"})
_OF_POD = frozenset({"namespace", "pod", "container", "endpoint", "job"})


def configuration(found: Scrapes, version: Version) -> tuple[Configuration, list[Diagnostic]]:
    """What a document says, as far as it can be read, and what is wrong with it."""
    reader = _Reader(Forms("prometheus", version))
    root = found.document.root
    if found.kind == "configuration":
        made = reader.whole(root)
    elif found.kind == "jobs":
        made = reader.jobs_alone(root)
    else:
        reader = _Reader(Forms("operator", version))
        made = reader.object(root, found.kind)
    return made, reader.problems


def text(node: Node | None, *path: str) -> str:
    """The text under a path, empty where there is none."""
    found = node.get(*path) if node is not None else None
    return found.value if found is not None and isinstance(found.value, str) else ""


def items(node: Node | None, *path: str) -> Iterator[Node]:
    """The mappings of a list."""
    found = node.get(*path) if node is not None else None
    for item in found.value if found is not None and isinstance(found.value, list) else ():
        if isinstance(item.value, dict):
            yield item


@dataclass(slots=True)
class _Reader:
    """Reads one document, and collects what is wrong with it."""

    forms: Forms
    problems: list[Diagnostic] = field(default_factory=list)

    def whole(self, root: Node) -> Configuration:
        self.problems += self.forms.problems(root, "configuration")
        self.problems += whole_file.problems(root, self.forms.version)
        alerting = root.get("alerting")
        for holder in [alerting, *items(root, "alerting", "alertmanagers")] if alerting else []:
            for key in ("relabel_configs", "alert_relabel_configs"):
                steps.read(holder.get(key), self.forms, self.problems)
        return Configuration(
            jobs=self._jobs(list(items(root, "scrape_configs")), root.get("global")),
            remote_writes=tuple(
                self._remote_write(each, "write_relabel_configs")
                for each in items(root, "remote_write")
            ),
            span=first_key(root),
        )

    def jobs_alone(self, root: Node) -> Configuration:
        """A list of scrape configs, such as the operator takes in a Secret."""
        listed = list(root.value)
        for each in listed:
            self.problems += self.forms.problems(each, "scrape")
        return Configuration(jobs=self._jobs(listed, None), span=root.span)

    def object(self, root: Node, kind: str) -> Configuration:
        spec = root if kind == "values" else root.get("spec")
        if kind in ROOTS:
            self._object_form(root, spec, kind)
        if spec is None or not isinstance(spec.value, dict):
            return Configuration(span=first_key(root))
        jobs = tuple(self._monitor(root, spec, kind)) if kind in ROOTS else ()
        for each in items(spec, "remoteWrite"):
            for step in items(each, "writeRelabelConfigs"):
                self.problems += self.forms.problems(step, "step")
        writes = tuple(
            self._remote_write(each, "writeRelabelConfigs") for each in items(spec, "remoteWrite")
        )
        return Configuration(jobs=jobs, remote_writes=writes, span=first_key(root))

    def _object_form(self, root: Node, spec: Node | None, kind: str) -> None:
        for key in root.value:
            if key not in ("apiVersion", "kind", "metadata", "spec", "status"):
                hint = "it belongs under 'spec'" if key in self.forms.tables[kind] else ""
                message = f"no key '{key}' here"
                self.problems.append(error(root.key_span(key), "yaml/unknown-key", message, hint))
        if spec is None:
            self.problems.append(missing(root, "spec", "spec: {...}"))
            return
        self.problems += self.forms.problems(spec, kind)
        required = {"ServiceMonitor": ("endpoints", "selector"), "PodMonitor": ("selector",)}
        for key in required.get(kind, ()) if isinstance(spec.value, dict) else ():
            if key not in spec.value:
                self.problems.append(missing(spec, key, f"{key}: ..."))

    # Jobs ------------------------------------------------------------------------------------------------------------

    def _jobs(self, listed: list[Node], shared: Node | None) -> tuple[ScrapeJob, ...]:
        first: dict[str, Span] = {}
        found = []
        for node in listed:
            job = self._job(node, shared)
            if job.name in first:
                message = f"a second job '{job.name}', and Prometheus refuses the configuration"
                related = (Related(first[job.name], "first here"),)
                hint = "give one of them another job_name"
                self.problems.append(error(job.span, "yaml/bad-value", message, hint, related))
            elif job.name:
                first[job.name] = job.span
            found.append(job)
        return tuple(found)

    def _job(self, node: Node, shared: Node | None) -> ScrapeJob:
        name = node.get("job_name")
        if name is None or not name.value:
            self.problems.append(missing(node, "job_name", "job_name: <a name>"))
        self.problems += whole_file.job_problems(node, shared)
        label = text(node, "job_name")
        return ScrapeJob(
            name=label,
            label=label,
            span=first_key(node) if name is None else name.span,
            reader="prometheus",
            interval=text(node, "scrape_interval") or text(shared, "scrape_interval") or "1m",
            timeout=text(node, "scrape_timeout") or text(shared, "scrape_timeout") or "10s",
            honor_labels=_is_true(node.get("honor_labels")),
            limits={**_limits(shared, str), **_limits(node, str)},
            discoveries=tuple(_discoveries(node)),
            targets=tuple(_targets(node, "static_configs")),
            relabelings=steps.read(node.get("relabel_configs"), self.forms, self.problems),
            metric_relabelings=steps.read(
                node.get("metric_relabel_configs"), self.forms, self.problems
            ),
            written=node,
        )

    def _monitor(self, root: Node, spec: Node, kind: str) -> Iterator[ScrapeJob]:
        """The jobs that the operator makes of a monitor: one for each endpoint."""
        if kind == "ScrapeConfig":
            yield self._scrape_config(root, spec)
            return
        service = kind == "ServiceMonitor"
        copied = [*_texts(spec, "targetLabels"), *_texts(spec, "podTargetLabels")]
        added = (_OF_SERVICE if service else _OF_POD) | {_sanitized(each) for each in copied}
        role = "endpoints" if service else "pod"
        found = Discovery(
            mechanism="kubernetes", role=role, attached="attachMetadata" in spec.value
        )
        for node in items(spec, "endpoints" if service else "podMetricsEndpoints"):
            job = self._endpoint(root, spec, node)
            self.problems += whole_file.endpoint_problems(node, "interval")
            yield replace(job, label=None, added=frozenset(added), discoveries=(found,))

    def _scrape_config(self, root: Node, spec: Node) -> ScrapeJob:
        job = self._endpoint(root, spec, spec)
        self.problems += whole_file.endpoint_problems(spec, "scrapeInterval")
        named = text(spec, "jobName")
        return replace(
            job,
            label=named or None,
            interval=text(spec, "scrapeInterval"),
            added=frozenset({"job"}),
            discoveries=tuple(_operator_discoveries(spec)),
            targets=tuple(_targets(spec, "staticConfigs")),
        )

    def _endpoint(self, root: Node, spec: Node, node: Node) -> ScrapeJob:
        name = root.get("metadata", "name")
        return ScrapeJob(
            name=text(root, "metadata", "name"),
            label=None,
            span=first_key(node) if name is None else name.span,
            reader="operator",
            interval=text(node, "interval"),
            timeout=text(node, "scrapeTimeout"),
            honor_labels=_is_true(node.get("honorLabels")),
            limits=_limits(spec, camel),
            relabelings=steps.read(node.get("relabelings"), self.forms, self.problems),
            metric_relabelings=steps.read(node.get("metricRelabelings"), self.forms, self.problems),
            written=node,
        )

    def _remote_write(self, node: Node, key: str) -> RemoteWrite:
        url = node.get("url")
        if self.forms.reader == "prometheus" and (url is None or url.value is None):
            self.problems.append(missing(node, "url", "url: https://..."))
        return RemoteWrite(
            url=text(node, "url"),
            span=first_key(node) if url is None else url.span,
            relabelings=steps.read(node.get(key), self.forms, self.problems),
            written=node,
        )


def _is_true(node: Node | None) -> bool:
    return node is not None and node.style == "plain" and TRUTHS.get(node.value, False)


def _texts(node: Node, key: str) -> Iterator[str]:
    found = node.get(key)
    for item in found.value if found is not None and isinstance(found.value, list) else ():
        if isinstance(item.value, str):
            yield item.value


def _sanitized(label: str) -> str:
    """A label of Kubernetes as the operator writes it on targets."""
    return "".join(each if each.isascii() and each.isalnum() else "_" for each in label)


def _limits(node: Node | None, spelled: Callable[[str], str]) -> Mapping[str, Limit]:
    found = {}
    for name in LIMITS:
        written = node.get(spelled(name)) if node is not None else None
        value = whole(written)
        if written is not None and value:
            found[name] = Limit(value=value, span=written.span)
    return found


def _targets(node: Node, key: str) -> Iterator[StaticTargets]:
    for group in items(node, key):
        labels = group.get("labels")
        written = labels.value if labels is not None and isinstance(labels.value, dict) else {}
        kept = {name: each.value for name, each in written.items() if isinstance(each.value, str)}
        yield StaticTargets(addresses=tuple(_texts(group, "targets")), labels=kept)


def _discoveries(node: Node) -> Iterator[Discovery]:
    for key in node.value:
        if key == "static_configs" and any(items(node, key)):
            yield Discovery(mechanism="static")
        elif key.endswith("_sd_configs"):
            mechanism = key.removesuffix("_sd_configs")
            for each in items(node, key):
                attached = "attach_metadata" in each.value
                yield Discovery(mechanism=mechanism, role=text(each, "role"), attached=attached)


def _operator_discoveries(spec: Node) -> Iterator[Discovery]:
    for key in spec.value:
        if key == "staticConfigs" and any(items(spec, key)):
            yield Discovery(mechanism="static")
        elif key.endswith("SDConfigs"):
            mechanism = key.removesuffix("SDConfigs").lower()
            for each in items(spec, key):
                role = text(each, "role").lower()
                attached = "attachMetadata" in each.value
                yield Discovery(mechanism=mechanism, role=role, attached=attached)
