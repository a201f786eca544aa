"""Findings that a project lives with: kept in a file that people review, so that a run reports only what is new.

A finding is known by its file, code, rule and message. Lines are no part of it: a rule that moves stays known.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gpuobs.diagnostics import Diagnostic, EnvironmentProblem, Span
from gpuobs.spec.node import Node

_NAMES = ("alert", "record", "name")
# JSON takes thirty times as much memory as text.
_MAX_BYTES = 10_000_000


class Entry(NamedTuple):
    """What a finding is known by; `rule` is the name of the nearest thing around it that has one."""

    file: str
    code: str
    rule: str
    message: str


EMPTY: Counter[Entry] = Counter()


def entries(findings: Iterable[Diagnostic], documents: Iterable[Node]) -> list[Entry]:
    """An entry for each finding, in their order."""
    roots: dict[str, list[Node]] = {}
    for document in documents:
        roots.setdefault(document.source.file, []).append(document)
    return [
        Entry(f.span.file, f.code, _rule(roots.get(f.span.file, ()), f.span), f.message)
        for f in findings
    ]


def _rule(roots: Sequence[Node], span: Span) -> str:
    name, inside = "", list(roots)
    while inside:
        node = next((child for child in inside if child.span.holds(span)), None)
        if node is None:
            break
        named = [node.get(key) for key in _NAMES] if isinstance(node.value, dict) else []
        name = next((n.value for n in named if n is not None and isinstance(n.value, str)), name)
        inside = _children(node)
    return name


def _children(node: Node) -> list[Node]:
    if isinstance(node.value, dict):
        return list(node.value.values())
    return node.value if isinstance(node.value, list) else []


def new(
    findings: Sequence[Diagnostic], found: Sequence[Entry], known: Counter[Entry]
) -> list[Diagnostic]:
    """The findings that a baseline does not have; of equal ones, those beyond its count."""
    left = Counter(known)
    kept = []
    for finding, entry in zip(findings, found, strict=True):
        if left[entry] > 0:
            left[entry] -= 1
        else:
            kept.append(finding)
    return kept


def gone(found: Sequence[Entry], known: Counter[Entry], looked_at: frozenset[str] | None) -> int:
    """How many findings of a baseline there are no longer, in the files that were looked at (None: all)."""
    rest = known - Counter(found)
    return sum(n for entry, n in rest.items() if looked_at is None or entry.file in looked_at)


def read(path: Path) -> Counter[Entry]:
    """The findings of a baseline, each with its count."""
    try:
        if path.exists() and not path.is_file():
            raise EnvironmentProblem(f"cannot read '{path}': it is no regular file")
        with path.open(encoding="utf-8") as file:
            text = file.read(_MAX_BYTES)
    except FileNotFoundError:
        hint = "--write-baseline writes it"
        raise EnvironmentProblem(f"there is no baseline '{path}': {hint}") from None
    except (OSError, ValueError) as problem:
        raise EnvironmentProblem(f"cannot read '{path}': {problem}") from None
    try:
        return Counter(dict(map(_read_entry, json.loads(text)["findings"])))
    except (ArithmeticError, KeyError, TypeError, ValueError, RecursionError):
        hint = "remove it and write it anew with --write-baseline"
        raise EnvironmentProblem(f"'{path}' is no baseline of gpuobs: {hint}") from None


def _read_entry(written: dict[str, Any]) -> tuple[Entry, int]:
    """An entry with its count; raises for a count that is none, and for a text that cannot be written again."""
    entry = Entry(*(str(written[key]).encode().decode() for key in Entry._fields))
    count = int(written["count"])
    if count < 1:
        raise ValueError
    return entry, count


def write(
    path: Path, found: Sequence[Entry], known: Counter[Entry], looked_at: frozenset[str] | None
) -> int:
    """Writes what was found, and what was known of files that were not looked at. Returns how many findings it holds."""
    kept = Counter(found)
    for entry, count in known.items():
        if looked_at is not None and entry.file not in looked_at:
            kept[entry] = count
    lines = [
        json.dumps({**entry._asdict(), "count": count}, ensure_ascii=False)
        for entry, count in sorted(kept.items())
    ]
    text = ",\n".join(f"    {line}" for line in lines)
    body = f'{{\n  "findings": [\n{text}\n  ]\n}}\n' if lines else '{\n  "findings": []\n}\n'
    try:
        path.write_text(body, encoding="utf-8")
    except OSError as problem:
        raise EnvironmentProblem(f"cannot write '{path}': {problem.strerror}") from None
    return kept.total()
