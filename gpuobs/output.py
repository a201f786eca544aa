"""Writing and comparing the output folder: the only place that touches it.

A build is all or nothing. The complete new tree, with the files of others linked in, is staged beside the folder and
then takes its place: on Linux by one `renameat2(RENAME_EXCHANGE)`, so that at every instant the folder is the old tree or
the new one. Where the system cannot exchange two folders, the old one is moved aside first; a run that is killed
between the two moves is finished by the next.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gpuobs.diagnostics import Diagnostic, EnvironmentProblem, Span, error
from gpuobs.files import display
from gpuobs.ir import Artifact

MANIFEST = "MANIFEST.json"


@dataclass(frozen=True, slots=True)
class Difference:
    """One file that is not what the specs say: `missing`, `changed` or `stale`."""

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


def compare(out: Path, artifacts: Sequence[Artifact], *, partial: bool = False) -> tuple[Difference, ...]:
    """How the folder departs from the artifacts. A partial build says nothing of files it does not make."""
    manifest = _manifest(out)
    wanted = {artifact.path: artifact.content for artifact in artifacts}
    found = []
    for path, content in sorted(wanted.items()):
        old = _bytes(out / path)
        if old != content:
            found.append(Difference(path, "changed" if old is not None else "missing", old or b"", content))
    for path in sorted(set(manifest) - set(wanted)) if not partial else ():
        old = _bytes(out / path)
        if old is not None:
            found.append(Difference(path, "stale", old, b""))
    if not partial and not found and _bytes(out / MANIFEST) != _manifest_bytes(wanted):
        old = _bytes(out / MANIFEST)
        found.append(Difference(MANIFEST, "changed", old or b"", _manifest_bytes(wanted)))
    return tuple(found)


def diff(differences: Sequence[Difference], out: Path) -> Iterator[str]:
    """The differences as a unified diff."""
    from difflib import unified_diff

    for entry in differences:
        name = f"{display(out)}/{entry.path}"
        old, new = (side.decode("utf-8", "replace").splitlines() for side in (entry.old, entry.new))
        left = "/dev/null" if entry.what == "missing" else f"a/{name}"
        right = "/dev/null" if entry.what == "stale" else f"b/{name}"
        yield from unified_diff(old, new, left, right, lineterm="")


def write(
    out: Path, artifacts: Sequence[Artifact], *, force: bool = False, partial: bool = False
) -> WriteResult:
    """Make the folder what the artifacts say, or change nothing and say why.

    Files of ours that are no longer made are removed. A file in the way that the manifest does not list, or that was
    edited since, stops the build; `force` takes it.
    """
    with _locked(out):
        _recover(out)
        if out.is_symlink() or (out.exists() and not out.is_dir()):
            raise EnvironmentProblem(f"'{display(out)}' is no folder")
        manifest = _manifest(out)
        wanted = {artifact.path: artifact.content for artifact in artifacts}
        kept = {p: h for p, h in manifest.items() if p not in wanted} if partial else {}
        problems = () if force else tuple(_in_the_way(out, manifest, wanted, kept))
        if problems:
            return WriteResult(problems=problems)
        changed = tuple(p for p, c in sorted(wanted.items()) if _bytes(out / p) != c)
        gone = tuple(p for p in sorted(set(manifest) - set(wanted) - set(kept)) if (out / p).is_file())
        listing = _manifest_bytes(wanted, kept)
        if changed or gone or _bytes(out / MANIFEST) != listing:
            _replace(out, {**{p: wanted[p] for p in changed}, MANIFEST: listing}, gone)
        return WriteResult(changed, gone, len(wanted) - len(changed))


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if not path.is_symlink() else None
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None
    except OSError as problem:
        raise EnvironmentProblem(f"cannot read '{display(path)}': {problem.strerror}") from None


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _manifest(out: Path) -> Mapping[str, str]:
    """Path to hash of every file of ours; nothing where the manifest is missing or broken."""
    content = _bytes(out / MANIFEST)
    try:
        files = json.loads(content)["files"] if content is not None else {}
    except (ValueError, KeyError, TypeError):
        return {}
    if not isinstance(files, dict):
        return {}
    return {
        path: digest
        for path, digest in files.items()
        if isinstance(digest, str) and _is_inside(path)
    }


def _is_inside(path: str) -> bool:
    parts = path.split("/")
    return bool(path) and not path.startswith("/") and not {"", ".", ".."} & set(parts)


def _manifest_bytes(wanted: Mapping[str, bytes], kept: Mapping[str, str] | None = None) -> bytes:
    files = {**(kept or {}), **{path: sha256(content) for path, content in wanted.items()}}
    return (json.dumps({"files": files}, indent=2, sort_keys=True) + "\n").encode()


def _in_the_way(
    out: Path, manifest: Mapping[str, str], wanted: Mapping[str, bytes], kept: Mapping[str, str]
) -> Iterator[Diagnostic]:
    broken = (out / MANIFEST).exists() and not manifest and _bytes(out / MANIFEST) != _manifest_bytes({})
    for path in sorted({*wanted, *manifest} - set(kept)):
        place = out / path
        span = Span(display(place), 1, 1, 1, 1)
        if place.is_symlink() or place.is_dir() or _blocked(out, path):
            message = f"'{display(place)}' is in the way: it is no file that gpuobs made"
            yield error(span, "output/foreign-file", message, "move it away, or take it with --force")
            continue
        content = _bytes(place)
        if content is None or content == wanted.get(path):
            continue
        if path not in manifest:
            why = f"{MANIFEST} is broken" if broken else f"{MANIFEST} does not list it"
            message = f"'{display(place)}' is in the way: {why}"
            yield error(span, "output/foreign-file", message, "move it away, or take it with --force")
        elif sha256(content) != manifest[path]:
            message = f"'{display(place)}' was edited by hand"
            hint = "carry the edit over to the specs, or give it up with --force"
            yield error(span, "output/edited-by-hand", message, hint)


def _blocked(out: Path, path: str) -> bool:
    """Whether a folder on the way to a file is a link or a file."""
    parents = [out.joinpath(*path.split("/")[:depth]) for depth in range(1, path.count("/") + 1)]
    return any(parent.is_symlink() or parent.is_file() for parent in parents)


# The exchange --------------------------------------------------------------------------------------------------------


def _aside(out: Path, what: str) -> Path:
    return out.absolute().with_name(f".{out.name}.gpuobs-{what}")


@contextmanager
def _locked(out: Path) -> Iterator[None]:
    """One build at a time for a folder; a second one waits."""
    import fcntl

    try:
        out.absolute().parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(_aside(out, "lock"), os.O_CREAT | os.O_RDWR, 0o644)
    except OSError as problem:
        raise EnvironmentProblem(f"cannot write beside '{display(out)}': {problem.strerror}") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _recover(out: Path) -> None:
    """Finish or undo what a killed run left beside the folder."""
    old, staged = _aside(out, "old"), _aside(out, "new")
    if old.exists() and not out.exists():
        old.rename(out)
    for leftover in (old, staged):
        _remove_tree(leftover)


def _remove_tree(folder: Path) -> None:
    import shutil

    if folder.exists():
        shutil.rmtree(folder)


def _replace(out: Path, contents: Mapping[str, bytes], gone: Sequence[str]) -> None:
    staged = _aside(out, "new")
    try:
        _stage(out, staged, {*contents, *gone})
        for path, content in contents.items():
            _clear(staged, path)
            _write_file(staged / path, content)
        _drop_empty(staged, gone)
        if not out.exists():
            staged.rename(out)
        elif not _exchange(staged, out):
            out.rename(_aside(out, "old"))
            staged.rename(out)
        _remove_tree(_aside(out, "old"))
        _remove_tree(staged)
    except OSError as problem:
        where = display(Path(problem.filename)) if problem.filename else display(out)
        raise EnvironmentProblem(f"cannot write '{where}': {problem.strerror}") from None


def _stage(out: Path, staged: Path, without: set[str]) -> None:
    """A copy of the folder by hard links, without the files that change."""
    staged.mkdir()
    if not out.exists():
        return
    staged.chmod(out.stat().st_mode & 0o7777)
    for folder, folders, names in os.walk(out):
        target = staged / Path(folder).relative_to(out)
        for name in list(folders):
            source = Path(folder, name)
            if source.is_symlink():
                (target / name).symlink_to(source.readlink())
            else:
                (target / name).mkdir()
                (target / name).chmod(source.stat().st_mode & 0o7777)
        for name in names:
            source = Path(folder, name)
            if source.relative_to(out).as_posix() not in without:
                _link(source, target / name)


def _link(source: Path, target: Path) -> None:
    import shutil

    if source.is_symlink():
        target.symlink_to(source.readlink())
        return
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _clear(staged: Path, path: str) -> None:
    """Remove from the copy what stands where a file, or a folder on the way to it, must be."""
    parts = path.split("/")
    for depth in range(1, len(parts) + 1):
        place = staged.joinpath(*parts[:depth])
        if place.is_symlink() or place.is_file():
            place.unlink()
        elif depth == len(parts):
            _remove_tree(place)


def _write_file(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _drop_empty(staged: Path, gone: Sequence[str]) -> None:
    for path in gone:
        for parent in (staged / path).parents:
            if parent == staged or not parent.is_dir() or any(parent.iterdir()):
                break
            parent.rmdir()


def _exchange(left: Path, right: Path) -> bool:
    """Swap two folders in one step; False where the system cannot."""
    import ctypes
    import sys

    if not sys.platform.startswith("linux"):
        return False
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is None:
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    done: int = renameat2(here, os.fsencode(left), here, os.fsencode(right), exchange)
    return done == 0
