"""Writing and comparing the output folder: the only place that touches it.

MANIFEST.json lists the files of ours with their hashes. Only what it lists, unchanged, is ever overwritten or removed;
a build is all or nothing (`gpuobs.swap` says how).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gpuobs import swap
from gpuobs.diagnostics import Diagnostic, EnvironmentProblem, Span, error
from gpuobs.files import display
from gpuobs.ir import Artifact

MANIFEST = "MANIFEST.json"
_LONGEST_NAME = 255  # bytes, on the usual file systems


@dataclass(frozen=True, slots=True)
class Difference:
    """One file that is not what the specs say: `missing`, `changed`, `stale`, or `edited` and `foreign`.

    The last two are `changed` by somebody, or made by somebody: a build refuses to take them.
    """

    path: str
    what: str
    old: bytes
    new: bytes


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What a build changed, as paths, or why it changed nothing."""

    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    problems: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class _Tree:
    """The output folder as it stands. `ours` is path to hash; None where the manifest cannot be read."""

    root: Path
    ours: Mapping[str, str] | None

    def read(self, path: str) -> bytes | None:
        """A file's content; None where no regular file is there, or only through a link."""
        place = self.root / path
        if place.is_symlink() or not place.is_file() or self.barrier(path) is not None:
            return None
        return place.read_bytes()

    def barrier(self, path: str) -> str | None:
        """What keeps a file's folder from being one of ours: a link or a file, as a path."""
        parts = path.split("/")
        for depth in range(1, len(parts)):
            parent = "/".join(parts[:depth])
            place = self.root / parent
            if place.is_symlink() or (place.exists() and not place.is_dir()):
                return parent
        return None

    def is_ours(self, path: str) -> bool:
        """Whether we wrote the file and nobody touched it since."""
        content = self.read(path)
        return content is not None and (self.ours or {}).get(path) == sha256(content)


def compare(
    out: Path, artifacts: Sequence[Artifact], *, partial: bool = False
) -> tuple[Difference, ...]:
    """How the folder departs from the artifacts. A partial build says nothing of files it does not make."""
    with _environment(out):
        tree = _tree(swap.standing(_absolute(out)))
        wanted = {artifact.path: artifact.content for artifact in artifacts}
        found = []
        for path, content in sorted(wanted.items()):
            old = tree.read(path)
            if old != content:
                found.append(Difference(path, _how(tree, path, old), old or b"", content))
        for path in sorted(set(tree.ours or {}) - set(wanted)) if not partial else ():
            old = tree.read(path)
            if old is not None:
                what = "stale" if tree.is_ours(path) else "edited"
                found.append(Difference(path, what, old, b""))
        listed = tree.read(MANIFEST)
        if not partial and not found and listed != _manifest_bytes(wanted):
            what = "changed" if listed is not None else "missing"
            found.append(Difference(MANIFEST, what, listed or b"", _manifest_bytes(wanted)))
        return tuple(found)


def _how(tree: _Tree, path: str, old: bytes | None) -> str:
    if old is None:
        return "missing"
    if tree.is_ours(path):
        return "changed"
    return "edited" if path in (tree.ours or {}) else "foreign"


def diff(differences: Sequence[Difference], out: Path) -> Iterator[str]:
    """The differences as a unified diff from what is there to what the specs say."""
    from difflib import unified_diff

    for entry in differences:
        name = f"{display(out)}/{entry.path}"
        left = "/dev/null" if entry.what == "missing" else f"a/{name}"
        right = "/dev/null" if entry.what == "stale" else f"b/{name}"
        lines = list(unified_diff(_lines(entry.old), _lines(entry.new), left, right, lineterm=""))
        yield from lines or (f"--- {left}", f"+++ {right}", "differs in bytes that do not show")


def _lines(content: bytes) -> list[str]:
    """The lines of a file, where a line end at the very end is not the start of another."""
    lines = content.decode("utf-8", "backslashreplace").split("\n")
    return lines[:-1] if lines[-1] == "" else [*lines[:-1], lines[-1] + "\\ no line end"]


def write(
    out: Path, artifacts: Sequence[Artifact], *, force: bool = False, partial: bool = False
) -> WriteResult:
    """Make the folder what the artifacts say, or change nothing and say why.

    Files of ours that are no longer made are removed. A file in the way that the manifest does not list, or that was
    edited since, stops the build; `force` takes it. A partial build leaves the other files of ours.
    """
    folder = _absolute(out)
    with _environment(out):
        _refuse(folder, out)
        with swap.locked(folder):
            swap.recover(folder)
            return _write(_tree(folder), artifacts, force, partial)


def _write(tree: _Tree, artifacts: Sequence[Artifact], force: bool, partial: bool) -> WriteResult:
    wanted = {artifact.path: artifact.content for artifact in artifacts}
    ours = tree.ours or {}
    stale = set(ours) - set(wanted) if not partial else set()
    gone = tuple(path for path in sorted(stale) if tree.read(path) is not None)
    kept = {path: digest for path, digest in ours.items() if path not in wanted} if partial else {}
    problems = tuple(_in_the_way(tree, wanted, gone)) if not force else ()
    if problems:
        return WriteResult(problems=problems)
    changed = tuple(path for path, content in sorted(wanted.items()) if tree.read(path) != content)
    listing = _manifest_bytes(wanted, kept)
    if changed or gone or tree.read(MANIFEST) != listing:
        contents = {**{path: wanted[path] for path in changed}, MANIFEST: listing}
        swap.replace(tree.root, contents, gone)
    return WriteResult(changed, gone, len(wanted) - len(changed))


# The manifest --------------------------------------------------------------------------------------------------------


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _tree(root: Path) -> _Tree:
    bare = _Tree(root, {})
    place = root / MANIFEST
    if not place.is_symlink() and not place.exists():
        return bare
    content = bare.read(MANIFEST)
    try:
        files = json.loads(content)["files"] if content is not None else None
    except (ValueError, KeyError, TypeError, RecursionError):
        files = None
    if not isinstance(files, dict):
        return _Tree(root, None)
    entries = ((p, h) for p, h in files.items() if isinstance(h, str) and _is_inside(p))
    return _Tree(root, dict(entries))


def _is_inside(path: str) -> bool:
    parts = path.split("/")
    if not path.isprintable() or path == MANIFEST or {"", ".", ".."} & set(parts):
        return False
    return all(len(part.encode()) <= _LONGEST_NAME for part in parts)


def _manifest_bytes(wanted: Mapping[str, bytes], kept: Mapping[str, str] | None = None) -> bytes:
    files = {**(kept or {}), **{path: sha256(content) for path, content in wanted.items()}}
    return (json.dumps({"files": files}, indent=2, sort_keys=True) + "\n").encode()


# What is in the way --------------------------------------------------------------------------------------------------


def _in_the_way(
    tree: _Tree, wanted: Mapping[str, bytes], gone: Sequence[str]
) -> Iterator[Diagnostic]:
    """A finding for every file that a build would take and that is not, or no longer, ours."""
    reported = set()
    if tree.ours is None:
        yield _foreign(tree, MANIFEST, "it is not a list that gpuobs wrote")
    for path in sorted({*wanted, *gone}):
        content = tree.read(path)
        if content is None:
            for obstacle in _obstacles(tree, path, gone):
                if obstacle not in reported:
                    reported.add(obstacle)
                    yield _foreign(tree, obstacle, f"{MANIFEST} does not list it")
        elif content == wanted.get(path) or tree.is_ours(path):
            continue
        elif path in (tree.ours or {}):
            place = display(tree.root / path)
            hint = "carry the edit over to the specs, or give it up with --force"
            span = Span(place, 1, 1, 1, 1)
            yield error(span, "output/edited-by-hand", f"'{place}' was edited by hand", hint)
        else:
            broken = tree.ours is None
            yield _foreign(
                tree, path, f"{MANIFEST} {'is broken' if broken else 'does not list it'}"
            )


def _obstacles(tree: _Tree, path: str, gone: Sequence[str]) -> Iterator[str]:
    """What is no file of ours where a file, or a folder on the way to it, must be."""
    barrier = tree.barrier(path)
    place = tree.root / path
    if barrier is not None:
        if barrier not in gone or not tree.is_ours(barrier):
            yield barrier
    elif place.is_dir() and not place.is_symlink():
        for parent, folders, names in os.walk(place):
            links = [name for name in folders if Path(parent, name).is_symlink()]
            inside = [Path(parent, n).relative_to(tree.root).as_posix() for n in (*names, *links)]
            yield from (p for p in sorted(inside) if p not in gone or not tree.is_ours(p))
    elif place.is_symlink() or place.exists():
        yield path


def _foreign(tree: _Tree, path: str, why: str) -> Diagnostic:
    place = display(tree.root / path)
    hint = "move it away, or take it with --force"
    span = Span(place, 1, 1, 1, 1)
    return error(span, "output/foreign-file", f"'{place}' is in the way: {why}", hint)


# The folder itself ---------------------------------------------------------------------------------------------------


def _absolute(out: Path) -> Path:
    return Path(os.path.abspath(out))  # resolve() would follow links


def _refuse(folder: Path, out: Path) -> None:
    """Folders that cannot be ours."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise EnvironmentProblem(f"'{display(out)}' is no folder: name one with --out")
    if Path.cwd().is_relative_to(folder):
        raise EnvironmentProblem(f"'{out}' holds the project: name a folder below it with --out")


@contextmanager
def _environment(out: Path) -> Iterator[None]:
    """Trouble of the file system in one line."""
    try:
        yield
    except OSError as problem:
        where = display(Path(os.fsdecode(problem.filename))) if problem.filename else display(out)
        reason = problem.strerror or str(problem)
        raise EnvironmentProblem(f"cannot write '{display(out)}': {where}: {reason}") from None
