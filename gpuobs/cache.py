"""The last clean answer of `build`, `build --check` and `lint`, for the next run in which nothing changed.

Python starts in 20 ms, its libraries take ten times that. A pre-commit hook runs on every commit, and mostly nothing
that it looks at has changed: then hashing the specs, the output and this package's own files is all it has to do. The
file holds what a clean run printed. It is never trusted for what is written, and is safe to delete; one that is damaged
counts as none.
"""

from __future__ import annotations

import os
import sys
import time
from _blake2 import (
    blake2b,  # the interpreter's own: hashlib would load OpenSSL, for as long as all the rest takes
)
from collections.abc import Iterator, Sequence

FOLDER = ".gpuobs"
OFF = "GPUOBS_NO_CACHE"
# Command lines that a cached answer can serve; anything else goes the whole way.
_COMMANDS = ("build", "lint")
_FLAGS = frozenset({"--check", "--strict", "--quiet", "-q", "--no-color"})


class Question:
    """A command line and a hash of all that its answer depends on. No dataclass: those load inspect."""

    __slots__ = ("arguments", "key")

    def __init__(self, arguments: tuple[str, ...], key: str) -> None:
        self.arguments = arguments
        self.key = key


def question(arguments: Sequence[str]) -> Question | None:
    """What the cache is asked, taken before a run; None where it cannot serve."""
    flags = arguments[1:]
    served = arguments and arguments[0] in _COMMANDS and all(flag in _FLAGS for flag in flags)
    if not served or os.environ.get(OFF):
        return None
    try:
        return Question(tuple(arguments), _fingerprint(arguments))
    except OSError:
        return None


def answer(asked: Question) -> str | None:
    """What the same command line printed last time on standard error, if nothing has changed since."""
    try:
        with open(_file(asked), encoding="utf-8") as file:
            key, checksum, text = file.read().split("\0")
    except (OSError, ValueError):
        return None
    return text if key == asked.key and checksum == _hash(text.encode()) else None


def remember(asked: Question, text: str) -> None:
    """Keep a clean run's answer, unless something changed during the run. A folder that cannot be written to is no reason to fail."""
    now = question(asked.arguments)
    if now is None or now.key != asked.key:
        return
    path = _file(asked)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _write(os.path.join(FOLDER, ".gitignore"), "*\n")
        _write(path, "\0".join((asked.key, _hash(text.encode()), text)))
    except (OSError, UnicodeEncodeError):
        return


def _write(path: str, text: str) -> None:
    staged = f"{path}.{os.getpid()}"
    with open(staged, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(staged, path)


def _file(asked: Question) -> str:
    return os.path.join(FOLDER, "cache", "_".join(asked.arguments))


def _hash(data: bytes) -> str:
    return blake2b(data).hexdigest()


def _fingerprint(arguments: Sequence[str]) -> str:
    """Of the command line, the terminal, the libraries, this package, the specs and, for a build, its output."""
    digest = blake2b()
    for part in (*_surroundings(arguments), *_package()):
        digest.update(part.encode("utf-8", "surrogateescape") + b"\n")
    for root in ("specs", "generated") if arguments[0] == "build" else ("specs",):
        digest.update(f"\0{root} {os.path.isdir(root)}\0".encode())
        for entry in _entries(root):
            name = os.fsencode(entry.path)
            digest.update(b"%d %s %s\n" % (len(name), name, _content(entry)))
    return digest.hexdigest()


def _surroundings(arguments: Sequence[str]) -> Iterator[str]:
    yield repr((list(arguments), sys.version, os.environ.get("NO_COLOR"), sys.stderr.isatty()))
    # Installing, removing or upgrading a library changes the folder that it is installed in.
    for folder in sys.path[1:]:
        if os.path.isdir(folder):
            yield f"{folder} {os.stat(folder).st_mtime_ns}"


def _package() -> Iterator[str]:
    for entry in _entries(os.path.dirname(os.path.abspath(__file__))):
        status = entry.stat()
        yield f"{entry.path} {entry.is_symlink()} {status.st_mtime_ns} {status.st_size}"


def _content(entry: os.DirEntry[str]) -> bytes:
    """A hash of a file, with the day where a suppression in it has a last one; of a link's way and of the file at its end."""
    way = os.path.realpath(entry.path) if entry.is_symlink() else ""
    if not entry.is_file():
        return os.fsencode(way or "special")
    with open(entry.path, "rb") as file:
        data = file.read()
    dated = b"gpuobs:" in data and b"until" in data
    day = time.strftime("%Y-%m-%d", time.gmtime()) if dated else ""
    return f"{blake2b(data).hexdigest()} {day}".encode() + os.fsencode(way)


def _entries(root: str) -> Iterator[os.DirEntry[str]]:
    """Everything below a folder but the folders themselves, in order. Links are not followed."""
    try:
        with os.scandir(root) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    for entry in entries:
        if not entry.is_dir(follow_symlinks=False):
            yield entry
        elif entry.name != "__pycache__":
            yield from _entries(entry.path)
