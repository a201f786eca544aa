"""Scraping in the two spellings that it has: Prometheus' own, and that of the Prometheus operator."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpuobs.plan import Limits, ScrapeJob
from gpuobs.promql.relabel import Step

_META = "__meta_kubernetes_"


def discovered(job: ScrapeJob) -> tuple[Step, ...]:
    """Steps that choose a job's endpoints: by the labels of the Service, and by the port's name."""
    selector = sorted(job.selector.items())
    labels = tuple(f"{_META}service_label_{sanitised(label)}" for label, _ in selector)
    values = ";".join(quoted(value) for _, value in selector)
    return (
        Step(action="keep", sources=labels, regex=values),
        Step(action="keep", sources=(f"{_META}endpoint_port_name",), regex=quoted(job.port)),
    )


def of_the_pod() -> tuple[Step, ...]:
    """Steps that give a target the labels which the operator gives it by itself."""
    copied = (
        ("namespace", "namespace"),
        ("service_name", "service"),
        ("pod_name", "pod"),
        ("pod_container_name", "container"),
        ("endpoint_port_name", "endpoint"),
    )
    return tuple(Step(sources=(f"{_META}{meta}",), target=label) for meta, label in copied)


def of_the_fleet(job: ScrapeJob) -> tuple[Step, ...]:
    """Steps that give a target the fleet's own labels: constant ones, and the pool by its node's label."""
    steps = []
    for label, value in job.labels.items():
        if value:
            steps.append(Step(target=label, replacement=value.replace("$", "$$")))
        elif job.pool_label:
            source = f"{_META}node_label_{sanitised(job.pool_label)}"
            steps.append(Step(sources=(source,), target=label))
    return tuple(steps)


def quoted(text: str) -> str:
    """A pattern of RE2 that matches a text and nothing else."""
    return re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\1", text)


def sanitised(label: str) -> str:
    """A Kubernetes label as Prometheus writes it in the name of a meta label (util/strutil, SanitizeLabelName)."""
    return re.sub(r"[^a-zA-Z0-9_]", "_", label)


_DEFAULTS = Step()
_KEYS = (
    ("sources", "source_labels", "sourceLabels"),
    ("separator", "separator", "separator"),
    ("regex", "regex", "regex"),
    ("modulus", "modulus", "modulus"),
    ("target", "target_label", "targetLabel"),
    ("replacement", "replacement", "replacement"),
    ("action", "action", "action"),
)


def steps(found: Sequence[Step], *, operator: bool = False) -> list[dict[str, Any]]:
    """Steps with what differs from Prometheus' defaults."""
    return [dict(_step(step, operator)) for step in found]


def _step(step: Step, operator: bool) -> Iterator[tuple[str, Any]]:
    for attribute, plain, camel in _KEYS:
        value = getattr(step, attribute)
        if value != getattr(_DEFAULTS, attribute):
            yield (camel if operator else plain), list(value) if attribute == "sources" else value


_LIMITS = (
    ("samples", "sample_limit", "sampleLimit"),
    ("labels", "label_limit", "labelLimit"),
    ("label_name_length", "label_name_length_limit", "labelNameLengthLimit"),
    ("label_value_length", "label_value_length_limit", "labelValueLengthLimit"),
)


def limits(found: Limits, *, operator: bool = False) -> Mapping[str, int]:
    """The limits that there are."""
    values = ((getattr(found, name), plain, camel) for name, plain, camel in _LIMITS)
    return {camel if operator else plain: value for value, plain, camel in values if value}
