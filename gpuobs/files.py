"""Finding and reading specs: the only place that reads the specs folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from gpuobs.diagnostics import Diagnostic, EnvironmentProblem, Span, error
from gpuobs.spec.document import MAX_BYTES, read
from gpuobs.spec.node import Node

SUFFIXES = (".yaml", ".yml", ".jsonnet")


def find_specs(root: Path) -> Iterator[Path]:
    """Every spec below a folder, and every link in it to another folder, sorted. Hidden ones are no specs."""
    if not root.is_dir():
        hint = "run gpuobs in the project's folder, or name it with --specs"
        raise EnvironmentProblem(f"there is no folder '{display(root)}': {hint}")
    found: list[Path] = []
    for folder, folders, names in os.walk(root, onerror=_unreadable):
        folders[:] = [name for name in folders if not name.startswith(".")]
        links = [name for name in folders if Path(folder, name).is_symlink()]
        specs = [name for name in names if name.endswith(SUFFIXES) and not name.startswith(".")]
        found += [Path(folder, name) for name in specs + links]
    yield from sorted(found)


def _unreadable(problem: OSError) -> None:
    raise EnvironmentProblem(f"cannot read '{display(Path(problem.filename))}': {problem.strerror}")


def read_specs(root: Path, ext_str: Mapping[str, str]) -> tuple[list[Node], list[Diagnostic]]:
    """Every spec's document, and what is wrong with the files that have none."""
    nodes: list[Node] = []
    problems: list[Diagnostic] = []
    real = Path(os.path.realpath(root))
    for path in find_specs(root):
        # realpath() and not resolve(), which raises for a link to itself.
        if not Path(os.path.realpath(path)).is_relative_to(real):
            problems.append(_outside(path))
        elif not path.is_dir():
            node, found = _read(path, real, ext_str)
            problems += found
            nodes += [node] if node is not None else []
    if not nodes and not problems:
        raise EnvironmentProblem(
            f"there are no specs in '{display(root)}' (*.yaml, *.yml, *.jsonnet)"
        )
    return nodes, problems


def _outside(path: Path) -> Diagnostic:
    message = "this is reached over a link that leaves the specs folder"
    hint = "copy what it points to into the specs folder"
    return error(Span(display(path), 1, 1, 1, 2), "yaml/outside", message, hint)


def _read(
    path: Path, root: Path, ext_str: Mapping[str, str]
) -> tuple[Node | None, list[Diagnostic]]:
    data = read_bytes(path)
    if path.suffix == ".jsonnet" and len(data) <= MAX_BYTES:
        from gpuobs.spec.jsonnet import evaluate

        return evaluate(display(path), path, data, root, ext_str)
    return read(display(path), data)


def read_bytes(path: Path) -> bytes:
    """A file's bytes, and no more of them than show that they are too many."""
    try:
        if path.exists() and not path.is_file():
            raise EnvironmentProblem(f"cannot read '{display(path)}': it is no regular file")
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as problem:
        raise EnvironmentProblem(f"cannot read '{display(path)}': {problem.strerror}") from None


def display(path: Path) -> str:
    """A path as people are shown it: relative to the current folder where it is below it, and always text.

    Bytes of a file's name that are no UTF-8 are written as escapes.
    """
    # abspath() and not resolve(), which would follow links.
    absolute = Path(os.path.abspath(path))
    here = Path.cwd()
    shown = absolute.relative_to(here) if absolute.is_relative_to(here) else path
    return shown.as_posix().encode("utf-8", "backslashreplace").decode("utf-8")
