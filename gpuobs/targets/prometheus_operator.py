"""PrometheusRule objects for the Prometheus operator."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from gpuobs.ir import Artifact, Program, RecordingRule, Rule, RuleFile, RuleGroup
from gpuobs.targets._yaml import document
from gpuobs.targets.prometheus_rules import group_data, header

NAME = "prometheus-operator"

# The operator copies an object into a ConfigMap and refuses larger ones (admission.go, MaxConfigMapDataSize).
MAX_BYTES = 512 * 1024
# RFC 1123, which Kubernetes checks object names by.
MAX_NAME = 253
_MANY = 9999  # no file has more parts
_SUFFIX = len(".9999")  # of the name of a group's piece
_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")


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
    # A document may be called what another, a number added, would be called: names have no dot.
    suffix = f".{part}" if part is not None else ""
    if len(name) + len(suffix) > MAX_NAME:
        import hashlib

        digest = hashlib.sha256(name.encode()).hexdigest()[:8]
        name = f"{name[: MAX_NAME - len(suffix) - 9]}-{digest}"
    return name + suffix


def _objects(program: Program, file: RuleFile) -> Iterator[bytes]:
    """The file as one object, or as several that are small enough, with the groups in their order."""
    whole = _object(program, file, None, file.groups)
    if len(whole) < MAX_BYTES:
        yield whole
        return
    room = MAX_BYTES - len(_object(program, file, _MANY, ()))
    parts: list[list[RuleGroup]] = [[]]
    left = room
    for group in file.groups:
        for piece, size in _pieces(program, file, group, room):
            if parts[-1] and size > left:
                parts.append([])
                left = room
            parts[-1].append(piece)
            left -= size
    for index, groups in enumerate(parts, 1):
        yield _object(program, file, index, groups)


def _pieces(
    program: Program, file: RuleFile, group: RuleGroup, room: int
) -> Iterator[tuple[RuleGroup, int]]:
    """A group with its bytes; in pieces where it is too large for one object."""
    bare = len(_object(program, file, None, ()))
    head = len(_object(program, file, None, (replace(group, rules=()),))) + _SUFFIX - bare
    sizes = [
        len(_object(program, file, None, (replace(group, rules=(rule,)),))) + _SUFFIX - bare - head
        for rule in group.rules
    ]
    if head + sum(sizes) <= room:
        yield group, head + sum(sizes)
        return
    start, number = 0, 1
    while start < len(group.rules):
        end = _seam(group.rules, start, _furthest(sizes, start, room - head))
        name = group.name if number == 1 else f"{group.name}.{number}"
        yield replace(group, name=name, rules=group.rules[start:end]), head + sum(sizes[start:end])
        start, number = end, number + 1


def _furthest(sizes: Sequence[int], start: int, room: int) -> int:
    """The end of the longest run of rules that fits; at least one rule."""
    end, used = start + 1, sizes[start]
    while end < len(sizes) and used + sizes[end] <= room:
        used += sizes[end]
        end += 1
    return end


def _seam(rules: Sequence[Rule], start: int, end: int) -> int:
    """Where to cut: no rule after it reads a record before it, if there is such a place in the second half."""
    if end == len(rules):
        return end
    last_reader: dict[str, int] = {}
    for index, rule in enumerate(rules):
        last_reader.update(dict.fromkeys(_NAME.findall(rule.expr), index))
    needed_until, best = start, end
    for index in range(start, end):
        rule = rules[index]
        if isinstance(rule, RecordingRule):
            needed_until = max(needed_until, last_reader.get(rule.record, start))
        if index + 1 > (start + end) // 2 and needed_until <= index:
            best = index + 1
    return best


def _object(
    program: Program, file: RuleFile, part: int | None, groups: Sequence[RuleGroup]
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
