"""Expressions that people wrote: those of rule files, of this repository and of a folder named in the environment."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

# A folder of rule files of others, such as kube-prometheus' manifests.
VARIABLE = "GPUOBS_CORPORA"
_HERE = Path(__file__).parents[2]


def own() -> list[str]:
    """Those of this repository's rule files, specs and tests."""
    folders = ("generated", "rules_tests", "specs", "tests")
    return _distinct(file for folder in folders for file in (_HERE / folder).rglob("*.yaml"))


def others() -> list[str]:
    """Those of the named folder; none where none is named."""
    folder = os.environ.get(VARIABLE)
    return _distinct(Path(folder).rglob("*.yaml")) if folder else []


def _distinct(files: Iterator[Path]) -> list[str]:
    return sorted({text for file in sorted(files) for text in _expressions(file)})


def _expressions(file: Path) -> Iterator[str]:
    try:
        documents = list(yaml.load_all(file.read_bytes(), yaml.CSafeLoader))
    except (yaml.YAMLError, ValueError):
        return  # golden files hold mistakes of every kind
    pending: list[Any] = documents
    seen: set[int] = set()
    while pending:
        value = pending.pop()
        if id(value) in seen:
            continue  # an alias; some golden files have very many
        seen.add(id(value))
        if isinstance(value, dict):
            if isinstance(value.get("expr"), str):
                yield value["expr"]
            pending += value.values()
        elif isinstance(value, list):
            pending += value
