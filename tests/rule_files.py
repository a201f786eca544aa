"""Rule files of others for tests: YAML text to a Program that is only looked at, as `gpuobs lint FILE` makes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from gpuobs import checks, files
from gpuobs.diagnostics import Diagnostic, in_order
from gpuobs.ir import AlertingRule, Origin, Program, RecordingRule, Rule, RuleFile, RuleGroup
from gpuobs.policy import Policy
from gpuobs.resolve import resolve
from gpuobs.spec import document
from gpuobs.spec.node import Node
from gpuobs.spec.shape import shape
from tests.projects import BASE, project


def program(texts: Mapping[str, str], fleet: str = "") -> Program:
    """Rule files by name as a program, against the base project's fleet with some keys replaced."""
    policy = _policy(fleet)
    return Program(
        fleet=str(policy.fleet.name),
        version=policy.fleet.prometheus_version.number,
        rule_files=tuple(_file(name, text) for name, text in texts.items()),
        test_files=(),
        foreign=True,
        policy=policy,
    )


def findings(texts: Mapping[str, str], fleet: str = "") -> list[Diagnostic]:
    """What every check says of rule files."""
    return in_order(checks.check(program(texts, fleet)))


def said(code: str, *texts: str) -> list[str]:
    """What one check says of rule files a.yml, b.yml ...: file:line, the words it points at, and the message."""
    named = {f"{chr(ord('a') + index)}.yml": text for index, text in enumerate(texts)}
    return [
        f"{f.span.file}:{f.span.line} {_words(named[f.span.file], f)}: {f.message}"
        for f in findings(named)
        if f.code == code
    ]


def _words(text: str, finding: Diagnostic) -> str:
    line = text.split("\n")[finding.span.line - 1]
    end = finding.span.end_column - 1 if finding.span.end_line == finding.span.line else None
    return line[finding.span.column - 1 : end]


@lru_cache(maxsize=16)
def _policy(fleet: str) -> Policy:
    with TemporaryDirectory() as folder:
        nodes, _ = files.read_specs(project(Path(folder), fleet) if fleet else BASE, {})
    specs = [spec for spec, _ in map(shape, nodes) if spec is not None]
    policy, problems = resolve(specs)
    assert policy is not None, problems
    return replace(policy, alerts=(), rollups=())


def _file(name: str, text: str) -> RuleFile:
    root, problems = document.read(name, text.encode())
    assert root is not None, problems
    groups = root.get("spec", "groups") or root.get("groups")
    assert groups is not None
    origin = Origin(root.span, "RuleFile", name)
    return RuleFile(name=name, groups=tuple(map(_group, groups.value)), origin=origin)


def _group(node: Node) -> RuleGroup:
    rules = node.get("rules")
    return RuleGroup(
        name=_text(node, "name"),
        interval=_text(node, "interval"),
        rules=tuple(_rule(rule) for rule in (rules.value if rules else [])),
        written=node,
    )


def _rule(node: Node) -> Rule:
    labels = dict(_texts(node.get("labels")))
    name = _text(node, "record") or _text(node, "alert")
    origin = Origin((node.get("record") or node.get("alert") or node).span, "Rule", name)
    if node.get("record"):
        return RecordingRule(
            record=name, expr=_text(node, "expr"), labels=labels, origin=origin, written=node
        )
    return AlertingRule(
        alert=name,
        expr=_text(node, "expr"),
        for_=_text(node, "for"),
        labels=labels,
        annotations=dict(_texts(node.get("annotations"))),
        origin=origin,
        written=node,
    )


def _text(node: Node, key: str) -> str:
    found = node.get(key)
    return "" if found is None else str(found.value)


def _texts(node: Node | None) -> Iterator[tuple[str, str]]:
    for key, value in (node.value if node is not None else {}).items():
        yield key, str(value.value)
