"""Unit test files and their rules as texts: what gpuobs finds in them, and what promtool says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from gpuobs.diagnostics import Diagnostic, in_order
from gpuobs.foreign import promtool_tests
from gpuobs.ir import AlertingRule, Origin, RecordingRule, Rule, RuleFile, RuleGroup
from gpuobs.spec.document import read
from gpuobs.spec.node import Node
from gpuobs.verify.promtool import Promtool
from tests.promtool import run_tests

NEWEST = (3, 5)
Files = Mapping[str, str]


def found(
    tests: str, rules: Files | None = None, version: tuple[int, int] = NEWEST
) -> list[Diagnostic]:
    """The findings in a test file with these rule files beside it."""
    node = _node("test.yaml", tests)
    file, problems = promtool_tests.read(node, version)
    matched: dict[str, list[RuleFile]] = {name: [] for name in file.texts("rule_files")}
    matched |= {name: [rule_file(name, text)] for name, text in (rules or {}).items()}
    return in_order([*problems, *promtool_tests.problems(file, matched)])


def seen(findings: Sequence[Diagnostic], files: Files) -> list[tuple[str, str, str]]:
    """Each finding's code, the text that it points at and its file."""
    return [(f.code, _pointed_at(f, files[f.span.file]), f.span.file) for f in findings]


def run(promtool: Promtool, folder: Path, tests: str, rules: Files | None = None) -> str:
    """What promtool says of the same files; nothing where they pass."""
    for name, text in {"test.yaml": tests, **(rules or {})}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return run_tests(promtool, folder / "test.yaml")


def rule_file(name: str, text: str) -> RuleFile:
    """A rule file as Prometheus has it."""
    root = _node(name, text)
    origin = Origin(root.span, "rule file", name)
    groups = [_group(node, origin) for node in _list(root, "groups")]
    return RuleFile(name=name, groups=tuple(groups), origin=origin)


def _group(node: Node, origin: Origin) -> RuleGroup:
    rules = tuple(_rule(rule, origin) for rule in _list(node, "rules"))
    return RuleGroup(name=_text(node, "name"), interval="", rules=rules, written=node)


def _rule(node: Node, origin: Origin) -> Rule:
    if node.get("record") is not None:
        record = _text(node, "record")
        return RecordingRule(record=record, expr=_text(node, "expr"), origin=origin, written=node)
    return AlertingRule(
        alert=_text(node, "alert"),
        expr=_text(node, "expr"),
        for_=_text(node, "for"),
        annotations={},
        origin=origin,
        written=node,
    )


def _list(node: Node, key: str) -> list[Node]:
    found_ = node.get(key)
    assert found_ is not None
    assert isinstance(found_.value, list)
    return found_.value


def _text(node: Node, key: str) -> str:
    found_ = node.get(key)
    return "" if found_ is None else str(found_.value)


def _node(name: str, text: str) -> Node:
    node, problems = read(name, text.encode())
    assert node is not None, problems
    return node


def _pointed_at(finding: Diagnostic, text: str) -> str:
    """The text under a finding; of more than a line the first."""
    line = text.split("\n")[finding.span.line - 1]
    same = finding.span.line == finding.span.end_line
    return line[finding.span.column - 1 : finding.span.end_column - 1 if same else None]
