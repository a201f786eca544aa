"""Finding and reading specs: the only place that reads the specs folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from gpuobs.diagnostics import Diagnostic, EnvironmentProblem, Span, error
from gpuobs.spec.document import read
from gpuobs.spec.node import Node

SUFFIXES = (".yaml", ".yml", ".jsonnet")


def find_specs(root: Path) -> Iterator[Path]:
    """Every spec below a folder, sorted by path. Hidden files and folders are no specs."""
    if not root.is_dir():
        hint = "run gpuobs in the project's folder, or name it with --specs"
        raise EnvironmentProblem(f"there is no folder '{display(root)}': {hint}")
    found = []
    for folder, folders, names in os.walk(root, onerror=_unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [
            Path(folder, name)
            for name in (*names, *(f for f in folders if Path(folder, f).is_symlink()))
            if not name.startswith(".") and (name.endswith(SUFFIXES) or Path(folder, name).is_dir())
        ]
    yield from sorted(found)


def _unreadable(problem: OSError) -> None:
    raise EnvironmentProblem(f"cannot read '{problem.filename}': {problem.strerror}")


def read_specs(
    root: Path, ext_str: Mapping[str, str]
) -> tuple[list[Node], list[Diagnostic]]:
    """Every spec's document, and what is wrong with the files that have none."""
    nodes: list[Node] = []
    problems: list[Diagnostic] = []
    real = root.resolve()
    for path in find_specs(root):
        target = path.resolve()
        if not target.is_relative_to(real):
            message = f"a symbolic link to '{os.readlink(path) if path.is_symlink() else target}', outside the specs folder"
            hint = "copy the file into the specs folder"
            problems.append(error(Span(display(path), 1, 1, 1, 1), "yaml/outside", message, hint))
            continue
        if path.is_dir():
            continue
        node, found = _read(path, real, ext_str)
        problems += found
        if node is not None:
            nodes.append(node)
    if not nodes and not problems:
        raise EnvironmentProblem(f"there are no specs in '{display(root)}' (*.yaml, *.yml, *.jsonnet)")
    return nodes, problems


def _read(path: Path, root: Path, ext_str: Mapping[str, str]) -> tuple[Node | None, list[Diagnostic]]:
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise EnvironmentProblem(f"cannot read '{display(path)}': {problem.strerror}") from None
    if path.suffix == ".jsonnet":
        from gpuobs.spec.jsonnet import evaluate

        return evaluate(display(path), path, data, root, ext_str)
    return read(display(path), data)


def display(path: Path) -> str:
    """A path as people are shown it: relative to the current folder where it is below it."""
    absolute = Path(os.path.abspath(path))  # noqa: PTH100: resolve() would follow links
    here = Path.cwd()
    shown = absolute.relative_to(here) if absolute.is_relative_to(here) else path
    return shown.as_posix()
