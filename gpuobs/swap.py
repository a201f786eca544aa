"""Putting a changed copy of a folder in the folder's place, in one step.

The copy is staged beside the folder: files that stay are hard links, files that change are new. Then the two trade
places by one `renameat2(RENAME_EXCHANGE)`, so that at every instant, also when the run is killed, the folder is wholly
the old tree or wholly the new one. Two kinds of system cannot do this:

- without `renameat2` (macOS, some network file systems) the old tree is moved aside first; a run that is killed between
  the two moves leaves no folder, and the next run moves the old tree back;
- where a folder cannot be renamed at all (a lower layer of overlayfs, in containers) it is removed and the copy, which
  is complete by then, takes its name; a run that is killed in between is finished by the next.

A process whose working folder is the old tree stays in it, and so does not see the new one.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One writer at a time for a folder; a second one waits. The lock's file is gone afterwards."""
    import fcntl

    folder.parent.mkdir(parents=True, exist_ok=True)
    place = aside(folder, "lock")
    while True:
        descriptor = os.open(place, os.O_CREAT | os.O_RDWR, 0o644)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), place.stat()):
                break
        os.close(descriptor)  # the writer before removed the file that we waited for
    try:
        yield
    finally:
        place.unlink(missing_ok=True)
        os.close(descriptor)


def recover(folder: Path) -> None:
    """Finish or undo what a killed run left beside the folder."""
    old, complete = aside(folder, "old"), aside(folder, "complete")
    if complete.exists():
        _remove(folder)
        complete.rename(folder)
    if old.exists() and not folder.exists():
        old.rename(folder)
    _remove(old)
    _remove(aside(folder, "new"))


def standing(folder: Path) -> Path:
    """Where the tree is: in its place, or aside after a run that was killed."""
    for place in (aside(folder, "complete"), folder, aside(folder, "old")):
        if place.exists():
            return place
    return folder


def replace(folder: Path, contents: Mapping[str, bytes], gone: Collection[str]) -> None:
    """Give files of a folder new contents and remove others, all at once or not at all. May raise OSError."""
    staged = aside(folder, "new")
    try:
        _stage(folder, staged, {*contents, *gone})
        for path, content in contents.items():
            _clear(staged, path)
            place = staged / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        _drop_empty(staged, gone)
        _finish(folder, staged, contents)
        _take_place(staged, folder)
    finally:
        _remove(staged)


def aside(folder: Path, what: str) -> Path:
    return folder.with_name(f".{folder.name}.gpuobs-{what}")


def _remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)


def _stage(folder: Path, staged: Path, without: Collection[str]) -> None:
    """A copy of the folder by hard links, without the files that change. Links are copied, not followed."""
    staged.mkdir()
    if not folder.exists():
        return
    for parent, folders, names in os.walk(folder, onerror=_raise):
        target = staged / Path(parent).relative_to(folder)
        for name in (*folders, *names):
            source = Path(parent, name)
            if source.is_symlink():
                (target / name).symlink_to(source.readlink())
            elif name in folders:
                (target / name).mkdir()
            elif source.relative_to(folder).as_posix() not in without:
                _link(source, target / name)


def _raise(problem: OSError) -> None:
    raise problem


def _link(source: Path, target: Path) -> None:
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
            _remove(place)


def _drop_empty(staged: Path, gone: Collection[str]) -> None:
    for path in gone:
        for parent in (staged / path).parents:
            if parent == staged or not parent.is_dir() or any(parent.iterdir()):
                break
            parent.rmdir()


def _finish(folder: Path, staged: Path, contents: Collection[str]) -> None:
    """Bring the copy to the disk, its folders with the owner and the mode that they have."""
    for path in contents:
        _sync(staged / path)
    for parent, _, _ in os.walk(staged, topdown=False):
        _sync(Path(parent))
        original = folder / Path(parent).relative_to(staged)
        if original.is_dir():
            status = original.stat()
            with suppress(PermissionError):
                os.chown(parent, status.st_uid, status.st_gid)
            Path(parent).chmod(stat.S_IMODE(status.st_mode))


def _sync(place: Path) -> None:
    descriptor = os.open(place, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _take_place(staged: Path, folder: Path) -> None:
    if not folder.exists():
        staged.rename(folder)
    elif not _exchange(staged, folder):
        _move_aside(staged, folder)
    _sync(folder.parent)


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


def _move_aside(staged: Path, folder: Path) -> None:
    old = aside(folder, "old")
    try:
        folder.rename(old)
    except OSError as problem:
        if problem.errno != errno.EXDEV:
            raise
        _rewrite(staged, folder)
        return
    staged.rename(folder)
    _remove(old)


def _rewrite(staged: Path, folder: Path) -> None:
    complete = aside(folder, "complete")
    staged.rename(complete)
    _remove(folder)
    complete.rename(folder)
