"""The last clean answer of `build`, `build --check` and `lint`, for the next run in which nothing changed.

Python starts in 20 ms, its libraries take ten times that. A pre-commit hook runs on every commit, and mostly nothing
that it looks at has changed: then hashing the specs, the output and this package's own files is all it has to do. The
file holds what a clean run printed. It is never trusted for what is written, and is safe to delete.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

FOLDER = ".gpuobs"
OFF = "GPUOBS_NO_CACHE"
# Command lines that a cached answer can serve; anything else goes the whole way.
_COMMANDS = ("build", "lint")
_FLAGS = frozenset({"--check", "--strict", "--quiet", "-q", "--no-color"})


@dataclass(frozen=True)
class Answer:
    stdout: str
    stderr: str


def answer(arguments: Sequence[str]) -> Answer | None:
    """What the same command line printed last time, if that was clean and nothing has changed since."""
    if not _serves(arguments):
        return None
    try:
        with open(_file(arguments), encoding="utf-8") as file:
            key, stdout, stderr = file.read().split("\0")
    except (OSError, ValueError):
        return None
    return Answer(stdout, stderr) if key == fingerprint(arguments) else None


def remember(arguments: Sequence[str], stdout: str, stderr: str) -> None:
    """Keep a clean run's answer. A folder that cannot be written to is no reason to fail."""
    if not _serves(arguments):
        return
    path = _file(arguments)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(f"{path}.new", "w", encoding="utf-8") as file:
            file.write("\0".join((fingerprint(arguments), stdout, stderr)))
        os.replace(f"{path}.new", path)
    except OSError:
        return


def forget(arguments: Sequence[str]) -> None:
    """Drop the answer of a run that was not clean."""
    if _serves(arguments):
        try:
            os.remove(_file(arguments))
        except OSError:
            return


def _serves(arguments: Sequence[str]) -> bool:
    if not arguments or arguments[0] not in _COMMANDS or os.environ.get(OFF):
        return False
    return all(argument in _FLAGS for argument in arguments[1:])


def _file(arguments: Sequence[str]) -> str:
    name = "_".join(arguments).replace("--", "")
    return os.path.join(FOLDER, "cache", name)


def fingerprint(arguments: Sequence[str]) -> str:
    """A hash of all that an answer depends on: the command line, this package, the specs and, for a build, its output."""
    from hashlib import sha256

    digest = sha256(repr((list(arguments), sys.version, os.environ.get("NO_COLOR"))).encode())
    package = os.path.dirname(os.path.abspath(__file__))
    for path, status in _files(package):
        digest.update(f"{path}\0{status.st_mtime_ns}\0{status.st_size}\n".encode())
    for root in ("specs", "generated") if arguments[0] == "build" else ("specs",):
        for path, _ in _files(root):
            digest.update(f"{path}\0".encode())
            with open(path, "rb") as file:
                digest.update(sha256(file.read()).digest())
    return digest.hexdigest()


def _files(root: str) -> Iterator[tuple[str, os.stat_result]]:
    """Every file below a folder, in order, links as what they point to."""
    try:
        entries = sorted(os.scandir(root), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name == "__pycache__":
            continue
        if entry.is_dir():
            yield from _files(entry.path)
        elif entry.is_file():
            yield entry.path, entry.stat()
