"""PrometheusRule objects for the Prometheus operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuobs.ir import Artifact, Program, RuleFile, RuleGroup
from gpuobs.targets._yaml import document
from gpuobs.targets.prometheus_rules import group_data, header

NAME = "prometheus-operator"

# The operator copies an object into a ConfigMap and refuses larger ones (admission.go, MaxConfigMapDataSize).
MAX_BYTES = 512 * 1024
# RFC 1123, which Kubernetes checks object names by.
MAX_NAME = 253


def render(program: Program) -> Iterator[Artifact]:
    """One object a spec document, more where it would be too large."""
    for file in program.rule_files:
        contents = list(_objects(program, file))
        for index, content in enumerate(contents, 1):
            name = object_name(program, file, index if len(contents) > 1 else None)
            yield Artifact(f"{NAME}/{name}.yaml", content)


def object_name(program: Program, file: RuleFile, part: int | None) -> str:
    """A name that is valid in Kubernetes; a long one is cut and made unique by its hash."""
    name = f"{program.fleet}-{file.name}"
    suffix = f"-{part}" if part is not None else ""
    if len(name) + len(suffix) > MAX_NAME:
        import hashlib

        digest = hashlib.sha256(name.encode()).hexdigest()[:8]
        name = f"{name[: MAX_NAME - len(suffix) - 9]}-{digest}"
    return name + suffix


def _objects(program: Program, file: RuleFile) -> Iterator[bytes]:
    """The file as one object, or cut between groups so that every object is small enough."""
    whole = _object(program, file, None, list(file.groups))
    if len(whole) < MAX_BYTES:
        yield whole
        return
    parts: list[list[RuleGroup]] = [[]]
    for group in file.groups:
        candidate = [*parts[-1], group]
        if parts[-1] and len(_object(program, file, len(parts), candidate)) >= MAX_BYTES:
            parts.append([group])
        else:
            parts[-1] = candidate
    for index, groups in enumerate(parts, 1):
        yield _object(program, file, index, groups)


def _object(
    program: Program, file: RuleFile, part: int | None, groups: list[RuleGroup]
) -> bytes:
    settings = program.operator
    metadata: dict[str, Any] = {
        "name": object_name(program, file, part),
        "namespace": settings.namespace,
    }
    for key, values in (("labels", settings.labels), ("annotations", settings.annotations)):
        if values:
            metadata[key] = {name: values[name] for name in sorted(values)}
    data = {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": metadata,
        "spec": {"groups": [group_data(group) for group in groups]},
    }
    return document(data, header(file.origin))
